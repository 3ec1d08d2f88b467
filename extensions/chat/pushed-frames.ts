import type { Joi } from '../../kernel/contract/index.js';
import * as shape from './shapes.js';

/** Frames that this extension pushes to sockets. */
export const pushedFrames = (j: Joi) => {
  const to = ['members'];
  const session_id = shape.id(j).required();
  const message = j.object({
    message: shape.message(j).required(),
    truncated: j
      .boolean()
      .required()
      .description('Whether it is too long for a frame, which then has only the start of its text and no tool calls'),
  });
  return {
    'message.created': { description: 'A message in one of your sessions, also your own from another device.', to, data: message },
    'message.updated': {
      description: 'A message has changed: a reply has ended, a text was edited, or the thread that it begins has a new reply.',
      to,
      data: message,
    },
    'message.deleted': {
      description: 'A message was deleted. Clients remove its text, images, files, tool calls and reactions.',
      to,
      data: j.object({ session_id, message_id: shape.id(j).required() }),
    },
    reaction: {
      description: 'A member has added a reaction to a message, or removed it.',
      to,
      data: j.object({
        session_id,
        message_id: shape.id(j).required(),
        member_id: shape.memberId(j).required(),
        emoji: j.string().required(),
        added: j.boolean().required(),
      }),
    },
    'task.updated': { description: 'A task of yours has another status.', to, data: j.object({ task: shape.task(j).required() }) },
    'session.updated': {
      description: 'A room was changed, or you are in it now.',
      to,
      data: j.object({
        session_id,
        title: j.string().allow('').required(),
        topic: j.string().allow('').required(),
        visibility: shape.visibility(j).required(),
        member_count: j.number().integer().min(0).required(),
      }),
    },
    'session.left': { description: 'You are no longer in a room.', to, data: j.object({ session_id }) },
    unread: {
      description:
        'The number of unread messages of a session has changed. Not sent for a message in a room: count its `message.created` yourself.',
      to,
      data: j.object({ session_id, count: j.number().integer().min(0).required() }),
    },
    typing: {
      description:
        'Another member is typing in one of your sessions, or has stopped; not replayed. In a room of more than 50 members it is one of them in 4 seconds, in one of more than 500 nobody.',
      to,
      data: j.object({ session_id, member_id: shape.memberId(j).required(), state: j.string().valid('start', 'stop').required() }),
    },
  };
};

/** Frames that clients send. */
export const readFrame = (j: Joi) =>
  j.object({ session_id: shape.id(j).required() }).description('Marks all messages of a session as read on all of your devices.');

export const typingFrame = (j: Joi) =>
  j
    .object({ session_id: shape.id(j).required(), state: j.string().valid('start', 'stop').required() })
    .description('Reports to the others in a session that you are typing; send `start` again within 10 seconds while you do.');
