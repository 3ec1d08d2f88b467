import type { Operations } from '../../kernel/contract/index.js';
import type { ChatApi } from './contract.js';
import { messageOperations, messages } from './message-operations.js';
import { conversations, sessionOperations } from './session-operations.js';
import * as shape from './shapes.js';
import { replyEvents } from './stream-events.js';
import { replies, taskOperations } from './task-operations.js';

/** The operations of this extension. */
export const operations = {
  ...sessionOperations,
  'chat.send': {
    summary: 'Sends a message; an AI employee answers with a reply, which streams under the id of the message.',
    subject: messages,
    method: 'POST',
    path: '/api/chat/send',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        content: shape.content(j).allow('').required().description('May be empty only with images'),
        images: j.array().items(shape.imageInput(j)).max(10).default([]).description('Together at most 20 MiB: PNG, JPEG, GIF, WebP'),
        session_id: shape.id(j).allow('', null).description('Default: opens a session; for a person, continues the latest active one'),
        target_type: shape.targetType(j).description("Kind of partner of an opened session. Default: 'ai'"),
        target_id: shape.targetId(j),
        new: j.boolean().default(false).description('Opens another session with a person even if there is one'),
        reply_to: shape.id(j).allow(null).description('Message of the session that this one answers; it makes no thread'),
        thread_id: shape.id(j).allow(null).description('Message of the session whose thread this one is in; answers stay there'),
      }),
    answer: (j) =>
      j
        .object({
          message_id: shape.id(j).required(),
          session_id: shape.id(j).required(),
          task_id: shape.id(j).allow(null).required().description('The first of `task_ids`'),
          task_ids: j.array().items(shape.id(j)).required().description('A task for each AI employee that answers'),
          not_in_room: j
            .array()
            .items(j.object({ member_id: shape.memberId(j).required(), username: j.string().required() }))
            .required()
            .description('People whom the text mentions but who are not in the room'),
        })
        .label('Sent'),
    failures: [
      'session_not_found',
      'message_not_found',
      'session_busy',
      'too_many_tasks',
      'no_ai_employee',
      'image_unavailable',
      'quota_exceeded',
    ],
    idempotent: 'data',
    schedulable: true,
    max_bytes: 20 * 1024 * 1024,
  },
  'chat.usage': {
    summary: 'Shows how many bytes of texts and images you have stored, and your limit.',
    subject: messages,
    method: 'GET',
    path: '/api/members/me/usage',
    who: 'member',
    audience: 'caller',
    answer: (j) =>
      j.object({
        bytes: j.number().integer().min(0).required().description('Texts in UTF-8, and images; each message counts all of its images'),
        quota_bytes: j
          .number()
          .integer()
          .min(0)
          .required()
          .description('Limit beyond which images are refused; texts never are. 0: unlimited'),
      }),
    tool: true,
  },
  'chat.lookup': {
    summary: 'Finds your sessions, messages or tasks by the beginning or the end of their ids; at most eleven, latest first.',
    subject: messages,
    method: 'GET',
    path: '/api/chat/lookup',
    who: 'member',
    audience: 'caller',
    costly: true,
    input: (j) =>
      j.object({
        kind: j.string().valid('session', 'message', 'task').required(),
        part: j
          .string()
          .lowercase()
          .pattern(/^[0-9a-f-]{4,36}$/, 'part of an id')
          .required()
          .description('4 to 36 characters'),
      }),
    answer: (j) => j.array().items(j.object({ id: shape.id(j).required(), about: j.string().allow('').required() }).label('FoundId')),
  },
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
  },
  'images.get': {
    summary: 'Shows an image of a message in one of your sessions.',
    subject: messages,
    method: 'GET',
    path: '/api/chat/images/{hash}',
    who: 'member',
    audience: 'caller',
    kind: 'file',
    input: (j) =>
      j.object({
        hash: j
          .string()
          .pattern(/^[0-9a-f]{64}$/, 'SHA-256 hash in hex')
          .required(),
      }),
    failures: ['image_not_found'],
  },
  'messages.list': {
    summary: 'Lists a page of the messages of a session, oldest first.',
    subject: messages,
    method: 'GET',
    path: '/api/chat/messages',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        session_id: shape.id(j).description('Required without thread_id'),
        thread_id: shape.id(j).description('Only this thread, beginning with its first message'),
        threads: j.string().valid('roots').description('Only messages outside of threads'),
        before: j.string().max(64).description('Only messages strictly before this ISO 8601 time, or before the message with this id'),
        limit: shape.limit(j, 50).description('Maximum number; fewer are returned if they have more than 8 MiB together'),
      }),
    answer: (j) => j.array().items(shape.message(j)),
    failures: ['session_not_found', 'message_not_found'],
    tool: true,
  },
  'messages.search': {
    summary: 'Finds messages in your sessions that contain all words, newest first. The last word may be incomplete.',
    subject: messages,
    method: 'GET',
    path: '/api/chat/messages/search',
    who: 'member',
    audience: 'caller',
    costly: true,
    input: (j) =>
      j.object({
        q: j.string().max(500).required().description('Words in any order; case and accents are ignored'),
        session_id: shape.id(j).allow('').description('Only in this session'),
        limit: shape.limit(j, 20).description('Maximum number; fewer are returned if they have more than 8 MiB together'),
      }),
    answer: (j) => j.array().items(shape.foundMessage(j)),
    failures: ['session_not_found'],
    tool: true,
  },
  'messages.get': {
    summary: 'Shows one message.',
    subject: messages,
    method: 'GET',
    path: '/api/chat/messages/{message_id}',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ message_id: shape.id(j).required() }),
    answer: shape.message,
    failures: ['message_not_found'],
  },
  'messages.stream': {
    summary: 'Streams the reply to a message from its first event, and ends with it.',
    subject: replies,
    method: 'GET',
    path: '/api/chat/stream/{message_id}',
    who: 'member',
    audience: 'caller',
    kind: 'stream',
    input: (j) => j.object({ message_id: shape.id(j).required(), after: shape.after(j) }),
    events: replyEvents,
    failures: ['message_not_found', 'task_not_found', 'session_not_found'],
  },
  ...messageOperations,
  ...taskOperations,
} satisfies Operations<ChatApi>;
