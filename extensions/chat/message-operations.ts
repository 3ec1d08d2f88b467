import type { Operations, Subject } from '../../kernel/contract/index.js';
import type { ChangesApi } from './contract.js';
import * as shape from './shapes.js';

export const messages: Subject = { name: 'Messages', description: 'Sending, reading and finding messages, and their images.' };

/** The operations that change messages. */
export const messageOperations = {
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
        content: shape.content(j).allow('').required().description('May be empty only if the message has images'),
      }),
    answer: shape.message,
    failures: ['message_not_found', 'not_your_message', 'message_deleted'],
  },
  'messages.delete': {
    summary: 'Deletes the text, images and tool calls of one of your messages, or of an AI reply to you. The empty message stays.',
    subject: messages,
    method: 'DELETE',
    path: '/api/chat/messages/{message_id}',
    who: 'member',
    audience: 'caller',
    input: (j) => j.object({ message_id: shape.id(j).required() }),
    dangerous: true,
    failures: ['message_not_found', 'not_your_message', 'message_in_progress', 'abort_unconfirmed'],
  },
} satisfies Operations<ChangesApi>;
