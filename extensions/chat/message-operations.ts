import type { Joi, Operations, Subject } from '../../kernel/contract/index.js';
import type { ChangesApi } from './contract.js';
import * as shape from './shapes.js';

export const messages: Subject = { name: 'Messages', description: 'Sending, reading and finding messages, and their images.' };

const reactionInput = (j: Joi) =>
  j.object({
    message_id: shape.id(j).required(),
    emoji: j.string().max(64).required().description('One emoji that Unicode recommends for general interchange'),
  });
const reactionsAnswer = (j: Joi) => j.object({ reactions: j.array().items(shape.reaction(j)).required() }).label('Reactions');

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
  },
} satisfies Operations<ChangesApi>;
