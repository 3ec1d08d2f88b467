import type { Operations } from '../../kernel/contract/index.js';
import type { ChatApi } from './contract.js';
import { fileOperations } from './file-operations.js';
import { importOperations } from './import-operations.js';
import { messageOperations } from './message-operations.js';
import { conversations, sessionOperations } from './session-operations.js';
import * as shape from './shapes.js';
import { replies, taskOperations } from './task-operations.js';

/** The operations of this extension. */
export const operations = {
  ...sessionOperations,
  ...messageOperations,
  ...fileOperations,
  ...importOperations,
  'chat.abort': {
    summary: 'Stops the replies to a message, or one reply. When this returns, nothing more is written into them.',
    subject: replies,
    method: 'POST',
    path: '/api/chat/abort',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ message_id: shape.id(j).required().description('The sent message, or its reply') }),
    answer: (j) =>
      j
        .object({
          message_id: shape.id(j).required(),
          task_id: shape.id(j).allow(null).required(),
          status: shape.taskStatus(j).allow(null).required(),
          aborted: j.boolean().required().description('False if it had already ended'),
        })
        .label('Aborted'),
    failures: ['message_not_found', 'task_not_found', 'not_the_asker', 'abort_unconfirmed'],
    mcp: true,
  },
  'unread.mark_read': {
    summary: 'Marks all messages of a session as read on all of your devices.',
    subject: conversations,
    method: 'POST',
    path: '/api/chat/mark-read',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ session_id: shape.id(j).required() }),
    answer: (j) => j.object({ session_id: shape.id(j).required(), unread_count: j.number().valid(0).required() }).label('MarkedRead'),
    failures: ['session_not_found'],
    mcp: true,
  },
  'unread.counts': {
    summary: 'Counts the unread messages in each of your sessions.',
    subject: conversations,
    method: 'GET',
    path: '/api/chat/unread-counts',
    who: 'member',
    audience: 'caller',
    answer: (j) =>
      j
        .object({ counts: j.object().pattern(j.string(), j.number().integer().min(0)).required().description('Number by session id') })
        .label('UnreadCounts'),
    tool: true,
  },
  'contacts.list': {
    summary: 'Lists the people and AI employees that you may talk with, latest conversations first.',
    subject: conversations,
    method: 'GET',
    path: '/api/chat/contacts',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        keyword: j.string().max(64).allow('').description('Part of a user name or nickname'),
        limit: j.number().integer().min(1).max(200).description('Default: all'),
        offset: j.number().integer().min(0).max(2_147_483_647).default(0),
      }),
    answer: (j) => j.array().items(shape.contact(j)),
    tool: true,
  },
  'contacts.start': {
    summary: 'Returns the session with a contact, the latest active one if there are several; opens one if there is none.',
    subject: conversations,
    method: 'POST',
    path: '/api/chat/contacts/start',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        member_id: shape.memberId(j).required(),
        new: j.boolean().default(false).description('Opens another session even if there is one'),
      }),
    answer: (j) =>
      j
        .object({ session_id: shape.id(j).required(), created: j.boolean().required(), session: shape.session(j).required() })
        .label('Started'),
    status: 201,
    also: [200],
    idempotent: 'data',
    mcp: true,
  },
  ...taskOperations,
} satisfies Operations<ChatApi>;
