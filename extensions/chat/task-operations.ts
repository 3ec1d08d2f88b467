import type { Operations, Subject } from '../../kernel/contract/index.js';
import type { ChatApi } from './contract.js';
import * as shape from './shapes.js';
import { replyEvents } from './stream-events.js';

export const replies: Subject = {
  name: 'Replies and tasks',
  description: 'Replies of AI employees: following them as they are written, joining in, and stopping them.',
};

type TaskApi = Pick<ChatApi, Extract<keyof ChatApi, `runs.${string}` | `tasks.${string}`>>;

/** The operations on tasks: a member's own, and everybody's for administrators. */
export const taskOperations = {
  'runs.list': {
    summary: "Lists everybody's waiting and running tasks: who works for whom, without the content.",
    subject: replies,
    method: 'GET',
    path: '/api/chat/runs',
    who: 'admin',
    audience: 'admin',
    input: (j) =>
      j.object({
        member_id: shape.memberId(j).description('Only tasks of this AI employee'),
        limit: shape.limit(j, 50),
        offset: j.number().integer().min(0).max(2_147_483_647).default(0),
      }),
    answer: (j) => j.array().items(shape.run(j).label('Run')),
  },
  'runs.get': {
    summary:
      'Shows a waiting or running task; its content only if oversight is enabled for the AI employee, and in a room only to its members.',
    subject: replies,
    method: 'GET',
    path: '/api/chat/runs/{task_id}',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ task_id: shape.id(j).required() }),
    answer: shape.runDetail,
    failures: ['task_not_found'],
    audited: true,
  },
  'runs.abort': {
    summary: "Stops anybody's task. When this returns, nothing of it runs any more.",
    subject: replies,
    method: 'POST',
    path: '/api/chat/runs/{task_id}/abort',
    who: 'admin',
    audience: 'admin',
    input: (j) => j.object({ task_id: shape.id(j).required() }),
    answer: (j) =>
      j
        .object({
          task_id: shape.id(j).required(),
          status: shape.taskStatus(j).required(),
          aborted: j.boolean().required().description('False if it had already ended'),
        })
        .label('RunAborted'),
    failures: ['task_not_found', 'abort_unconfirmed'],
    audited: true,
    dangerous: true,
  },
  'tasks.active': {
    summary: 'Lists your waiting and running tasks.',
    subject: replies,
    method: 'GET',
    path: '/api/chat/active-tasks',
    who: 'member',
    audience: 'caller',
    answer: (j) => j.array().items(shape.task(j)),
    tool: true,
  },
  'tasks.failed': {
    summary: 'Lists your tasks that failed in the last seven days, latest first.',
    subject: replies,
    method: 'GET',
    path: '/api/chat/failed-tasks',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ limit: shape.limit(j, 20) }),
    answer: (j) => j.array().items(shape.task(j)),
    mcp: true,
  },
  'tasks.get': {
    summary: 'Shows one task.',
    subject: replies,
    method: 'GET',
    path: '/api/chat/tasks/{task_id}',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ task_id: shape.id(j).required() }),
    answer: shape.task,
    failures: ['task_not_found'],
    mcp: true,
  },
  'tasks.cancel': {
    summary: 'Stops one of your tasks. When this returns, nothing of it runs any more.',
    subject: replies,
    method: 'POST',
    path: '/api/chat/tasks/{task_id}/cancel',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ task_id: shape.id(j).required() }),
    answer: (j) =>
      j
        .object({
          task_id: shape.id(j).required(),
          status: shape.taskStatus(j).required(),
          cancelled: j.boolean().required().description('False if it had already ended'),
        })
        .label('Cancelled'),
    failures: ['task_not_found', 'not_the_asker', 'abort_unconfirmed'],
    mcp: true,
  },
  'tasks.message': {
    summary:
      'Sends a text, with files if you like, into one of your waiting or running tasks: it joins the conversation before the next step of the answer.',
    subject: replies,
    method: 'POST',
    path: '/api/chat/tasks/{task_id}/message',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        task_id: shape.id(j).required(),
        content: shape.content(j).allow('').required().description('May be empty only with files'),
        files: shape.fileIds(j),
      }),
    answer: (j) =>
      j
        .object({
          message_id: shape.id(j).required(),
          session_id: shape.id(j).required(),
          task_id: shape.id(j).required(),
          task_ids: j.array().items(shape.id(j)).required().description('This task, and in a room those of other AI employees that answer'),
          not_in_room: shape.notInRoom(j).required(),
        })
        .label('Joined'),
    status: 202,
    failures: ['task_not_found', 'file_not_found', 'task_finished', 'session_busy', 'too_many_tasks', 'not_the_asker', 'forbidden'],
    idempotent: 'data',
    mcp: true,
  },
  'tasks.stream': {
    summary: 'Streams the reply that a task writes from its first event, and ends with it.',
    subject: replies,
    method: 'GET',
    path: '/api/chat/task/{task_id}/stream',
    who: 'member',
    audience: 'caller',
    kind: 'stream',
    input: (j) => j.object({ task_id: shape.id(j).required(), after: shape.after(j) }),
    events: replyEvents,
    failures: ['task_not_found', 'session_not_found'],
  },
} satisfies Operations<TaskApi>;
