import type { Joi, Operations, Subject } from '../../kernel/contract/index.js';
import type { ChatApi } from './contract.js';
import * as shape from './shapes.js';
import { replyEvents } from './stream-events.js';
import { replies } from './task-operations.js';

export const messages: Subject = { name: 'Messages', description: 'Sending, reading and finding messages, their images and files.' };

const imageHash = (j: Joi) =>
  j.object({
    hash: j
      .string()
      .pattern(/^[0-9a-f]{64}$/, 'SHA-256 hash in hex')
      .required(),
  });
const reactionInput = (j: Joi) =>
  j.object({
    message_id: shape.id(j).required(),
    emoji: j.string().max(64).required().description('One emoji that Unicode recommends for general interchange'),
  });
const reactionsAnswer = (j: Joi) => j.object({ reactions: j.array().items(shape.reaction(j)).required() }).label('Reactions');

type MessageName = `messages.${string}` | `reactions.${string}` | 'chat.send' | 'chat.usage' | 'chat.lookup' | `images.${string}`;
type MessageApi = Pick<ChatApi, Extract<keyof ChatApi, MessageName>>;

/** The operations on messages and their images. */
export const messageOperations = {
  'chat.send': {
    summary: 'Sends a message; an AI employee answers with a reply, which streams under the id of the message.',
    subject: messages,
    method: 'POST',
    path: '/api/chat/send',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        content: shape.content(j).allow('').required().description('May be empty only with images or files'),
        images: j.array().items(shape.imageInput(j)).max(10).default([]).description('Together at most 20 MiB: PNG, JPEG, GIF, WebP'),
        files: shape.fileIds(j),
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
          not_in_room: shape.notInRoom(j).required(),
        })
        .label('Sent'),
    failures: [
      'session_not_found',
      'message_not_found',
      'file_not_found',
      'session_busy',
      'too_many_tasks',
      'no_ai_employee',
      'image_unavailable',
      'quota_exceeded',
    ],
    idempotent: 'data',
    schedulable: true,
    max_bytes: 20 * 1024 * 1024,
    mcp: true,
  },
  'chat.usage': {
    summary: 'Shows how many bytes of texts, images and files you have stored, and your limit.',
    subject: messages,
    method: 'GET',
    path: '/api/members/me/usage',
    who: 'member',
    audience: 'caller',
    answer: shape.memberUsage,
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
  'images.get': {
    summary: 'Shows an image of a message in one of your sessions.',
    subject: messages,
    method: 'GET',
    path: '/api/chat/images/{hash}',
    who: 'member',
    audience: 'caller',
    kind: 'file',
    input: imageHash,
    failures: ['image_not_found'],
  },
  'images.thumbnail': {
    summary: 'Downloads the thumbnail of an image of a message: WebP of at most 512 × 512 pixels, upright and without metadata.',
    subject: messages,
    method: 'GET',
    path: '/api/chat/images/{hash}/thumbnail',
    who: 'member',
    audience: 'caller',
    kind: 'file',
    input: imageHash,
    failures: ['image_not_found', 'no_thumbnail'],
    timeout_ms: 60_000,
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
        after: j.string().max(64).description('Only messages strictly after this time or message, the earliest of them; not with before'),
        limit: shape.limit(j, 50).description('Maximum number; fewer are returned if they have more than 8 MiB together'),
      }),
    answer: (j) => j.array().items(shape.message(j)),
    failures: ['session_not_found', 'message_not_found'],
    tool: true,
  },
  'messages.search': {
    summary:
      'Finds messages in your sessions that contain all words in their text, or in names or texts of their files, newest first. The last word may be incomplete.',
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
    mcp: true,
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
  'messages.edit': {
    summary: 'Replaces the text of one of your messages. Starts no task and notifies nobody.',
    subject: messages,
    method: 'PUT',
    path: '/api/chat/messages/{message_id}',
    who: 'member',
    audience: 'caller',
    input: (j) =>
      j.object({
        message_id: shape.id(j).required(),
        content: shape.content(j).allow('').required().description('May be empty only if the message has images or files'),
      }),
    answer: shape.message,
    failures: ['message_not_found', 'not_your_message', 'message_deleted'],
    mcp: true,
  },
  'messages.delete': {
    summary:
      'Deletes the text, images, files and tool calls of one of your messages, of an AI reply in a session that you opened, or of any message in a room that you own. The empty message stays.',
    subject: messages,
    method: 'DELETE',
    path: '/api/chat/messages/{message_id}',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ message_id: shape.id(j).required() }),
    dangerous: true,
    failures: ['message_not_found', 'not_your_message', 'message_in_progress', 'abort_unconfirmed'],
    mcp: true,
  },
  'messages.report': {
    summary:
      'Reports a message to the owners of its room, or, in a conversation of two and in a room without another owner, to the administrators. They learn your name and the reason; administrators do not see the message.',
    subject: messages,
    method: 'POST',
    path: '/api/chat/messages/{message_id}/report',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ message_id: shape.id(j).required(), reason: shape.reportReason(j).required() }),
    answer: (j) =>
      j
        .object({
          message_id: shape.id(j).required(),
          reported_at: j.string().isoDate().required(),
          repeated: j.boolean().required().description('Whether you had reported it before; nobody is notified again'),
        })
        .label('MessageReport'),
    failures: ['message_not_found', 'own_message', 'message_deleted', 'too_many_reports'],
  },
  'reactions.add': {
    summary: 'Adds your reaction to a message. At most 20 different emoji on a message.',
    subject: messages,
    method: 'PUT',
    path: '/api/chat/messages/{message_id}/reactions/{emoji}',
    who: 'member',
    audience: 'caller',
    input: reactionInput,
    answer: reactionsAnswer,
    failures: ['message_not_found', 'message_deleted', 'too_many_reactions'],
    mcp: true,
  },
  'reactions.remove': {
    summary: 'Removes your reaction from a message.',
    subject: messages,
    method: 'DELETE',
    path: '/api/chat/messages/{message_id}/reactions/{emoji}',
    who: 'member',
    audience: 'caller',
    input: reactionInput,
    answer: reactionsAnswer,
    failures: ['message_not_found', 'message_deleted'],
    mcp: true,
  },
} satisfies Operations<MessageApi>;
