import type { Uses } from '../../table.js';
import { absent, answered, nowhere, onlyOneRuns, others, run, underWay, unsentFile } from './scene.js';

/** Uses of the operations on tasks, by their members and by administrators. */
export const taskRows: Record<string, Uses> = {
  'chat.abort': {
    success: [
      {
        name: 'a finished one cannot be aborted',
        input: async (side) => ({ message_id: (await answered(side)).message_id }),
        body: { aborted: false, status: 'completed' },
      },
    ],
    failures: [...absent('message_id', 'message_not_found'), ...others('message_id', 'message_not_found')],
  },
  'runs.list': {
    success: [
      { name: 'lists running ones', input: onlyOneRuns },
      { name: 'of one AI employee', input: { member_id: 1 }, body: [] },
    ],
    failures: [{ name: 'a limit above the maximum', input: { limit: 201 }, code: 'invalid_input' }],
  },
  'runs.get': {
    success: [{ name: 'returns no contents', input: run, body: { oversight: false, message: null, reply: null } }],
    failures: absent('task_id', 'task_not_found'),
  },
  'runs.abort': {
    success: [
      { name: 'stops one', input: run, body: { aborted: true, status: 'cancelled' } },
      {
        name: 'a finished one cannot be stopped',
        input: async (side) => ({ task_id: (await answered(side)).task_id }),
        body: { aborted: false, status: 'completed' },
      },
    ],
    failures: absent('task_id', 'task_not_found'),
  },
  'tasks.active': { success: [{ name: 'lists running ones', input: onlyOneRuns, body: [{ status: 'running' }] }], failures: [] },
  'tasks.failed': {
    success: [{ name: 'lists none before any failed', asker: 'bob', input: {}, body: [] }],
    failures: [
      { name: 'a limit above the maximum', input: { limit: 201 }, code: 'invalid_input' },
      { name: 'no task', input: { limit: 0 }, code: 'invalid_input' },
      { name: 'a text as limit', input: { limit: 'all' }, code: 'invalid_input' },
    ],
  },
  'tasks.get': {
    success: [{ name: 'returns one', input: async (side) => ({ task_id: (await answered(side)).task_id }), body: { status: 'completed' } }],
    failures: [...absent('task_id', 'task_not_found'), ...others('task_id', 'task_not_found')],
  },
  'tasks.cancel': {
    success: [
      {
        name: 'a finished one cannot be cancelled',
        input: async (side) => ({ task_id: (await answered(side)).task_id }),
        body: { cancelled: false, status: 'completed' },
      },
    ],
    failures: [...absent('task_id', 'task_not_found'), ...others('task_id', 'task_not_found')],
  },
  'tasks.message': {
    success: [
      {
        name: 'sends a text into a waiting task',
        input: async (side) => ({ task_id: await underWay(side), content: 'And this.' }),
        body: { task_id: '<uuid>' },
      },
      {
        name: 'sends a file into a waiting task',
        input: async (side) => ({ task_id: await underWay(side), content: '', files: [(await unsentFile(side)).file_id] }),
        body: { task_id: '<uuid>' },
      },
    ],
    failures: [
      ...absent('task_id', 'task_not_found').map((row) => ({ ...row, input: { ...(row.input as object), content: 'x' } })),
      {
        name: 'a finished task',
        input: async (side) => ({ task_id: (await answered(side)).task_id, content: 'Late' }),
        code: 'task_finished',
      },
      { name: 'an empty text', input: async (side) => ({ task_id: await underWay(side), content: ' ' }), code: 'invalid_input' },
      { name: 'neither text nor files', input: async (side) => ({ task_id: await underWay(side), content: '' }), code: 'invalid_input' },
      {
        name: 'an unknown file',
        input: async (side) => ({ task_id: await underWay(side), content: 'Look', files: [nowhere] }),
        code: 'file_not_found',
      },
    ],
  },
  'tasks.stream': {
    success: [{ name: 'replays a reply', input: async (side) => ({ task_id: (await answered(side)).task_id }) }],
    failures: [...absent('task_id', 'task_not_found'), ...others('task_id', 'task_not_found')],
  },
};
