import type { EventType, Joi } from '../../kernel/contract/index.js';
import * as shape from './shapes.js';

/** An event of a reply: its position, and fields of its own. */
function event(j: Joi, description: string, fields: object = {}): EventType {
  const data = j.object({
    seq: j.number().integer().min(0).required().description('Increases by one with each event of a reply; 0 while its task waits'),
    task_id: shape.id(j).allow(null).required().description('The task that writes the reply; null if nobody answers'),
    message_id: shape.id(j).required().description('The reply, or the message that nobody answers'),
    ...fields,
  });
  return { description, data };
}

/** Events of the stream of one reply. */
export const replyEvents = (j: Joi) => ({
  ...sharedEvents(j),
  done: event(j, 'The stream is over; the server closes it.', {
    deleted: j.boolean().valid(true).description('Present if the session or the message was deleted'),
  }),
});

/** Events of a session's stream: of all its replies, of the messages that people send, and of their changes. */
export const sessionEvents = (j: Joi) => ({ ...sharedEvents(j), ...changeEvents(j) });

const changeEvents = (j: Joi) => ({
  'message.edited': event(j, 'A text was edited. `seq` is 0.', {
    message: shape.message(j).allow(null).required().description('Null if it was deleted meanwhile'),
  }),
  'message.deleted': event(j, 'A message was deleted; clients remove its text, images, files, tool calls and reactions. `seq` is 0.'),
  reaction: event(j, 'A member has added a reaction to a message, or removed it. `seq` is 0.', {
    member_id: shape.memberId(j).required(),
    emoji: j.string().required(),
    added: j.boolean().required(),
  }),
});

const sharedEvents = (j: Joi) => {
  const message = shape.message(j).allow(null).required().description('Null if it was deleted meanwhile');
  const tool_call_id = shape.id(j).required();
  const delta = j.string().allow('').required();
  const text = j.string().allow(null, '').required();
  const approval = j
    .object({ id: j.alternatives().try(j.string(), j.number()).required() })
    .unknown()
    .required()
    .description('Its `id` and the fields that its extension adds; for an AI employee those of `approvals.get`');
  return {
    'task.updated': event(j, 'The task has another status.', { task: shape.task(j).required() }),
    'node.awaited': event(j, 'The task waits for its work node.', {
      node_id: shape.memberId(j).required(),
      reason: j.string().valid('node_offline', 'node_draining').required(),
    }),
    'message.started': event(j, 'The reply exists, still empty.', { message }),
    'message.delta': event(j, 'A piece of the reply.', { delta }),
    'reasoning.delta': event(j, 'A piece of what the model thinks; it is not stored.', { delta }),
    'message.joined': event(j, 'A message was sent into the task; the reply takes it up here.', { message }),
    'message.notice': event(j, 'A remark beside the text; it is also in `notices` of the message.', { notice: shape.fault(j).required() }),
    'tool.started': event(j, 'The AI employee uses a tool.', { tool_call_id, name: j.string().required(), input: j.any().required() }),
    'tool.input': event(j, 'In a room: the input of the tool, which runs now.', { tool_call_id, input: j.any().required() }),
    'tool.output': event(j, 'A piece of what the tool prints while it runs.', { tool_call_id, delta }),
    'tool.finished': event(j, 'The tool has ended, with an output or an error.', { tool_call_id, output: text, error: text }),
    'approval.required': event(j, 'A tool waits for the decision of a person.', { approval }),
    'approval.resolved': event(j, 'The decision was made, or can no longer be made.', { approval }),
    snapshot: event(j, 'The whole reply so far; it replaces the pieces that came before.', { message }),
    'message.completed': event(j, 'The whole reply, or a message that nobody answers.', { message }),
    'message.aborted': event(j, 'The reply was stopped.', { message, error: shape.fault(j) }),
    'message.failed': event(j, 'The reply failed.', { message, error: shape.fault(j).required() }),
  };
};
