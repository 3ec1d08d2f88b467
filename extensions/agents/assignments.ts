import type { Call, Caller } from '../../kernel/contract/index.js';
import type { Fault, Message, ReplyStream, SendInput, Sent } from '../chat/contract.js';
import { codes, fail } from './codes.js';
import type { Assignment, AssignmentInput } from './contract.js';

export interface AssignmentParts {
  /** With a key it sends once, however often it is asked. */
  send: (input: SendInput, caller: Caller, key: string | undefined) => Promise<Sent>;
  follow: (message_id: string, member_id: number, following: { signal: AbortSignal }) => ReplyStream;
  /** Stops the reply to a message. */
  abort: (message_id: string, caller: Caller) => Promise<unknown>;
}

type Asking = Pick<Call, 'caller' | 'signal' | 'idempotency_key'>;

/** Of the text that is given, in characters; the whole of it is in the session. */
const max_result_length = 4_000;

/**
 * Gives an AI employee something to do, and waits until it is done. Fails as the reply does; when `signal` aborts, the reply is stopped.
 * Whoever asks again with the same key, however long after, waits for the same reply.
 */
export async function assign(
  { member_id, prompt, session_id }: AssignmentInput,
  { caller, signal, idempotency_key: key }: Asking,
  parts: AssignmentParts,
): Promise<Assignment> {
  const message = {
    content: prompt,
    ...(session_id ? { session_id } : {}),
    ...(member_id === undefined ? {} : { target_id: member_id }),
  };
  const sent = await parts.send(message, caller, key === undefined ? undefined : `${key}:run`);
  const stop = () => void parts.abort(sent.message_id, caller).catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const reply = await wholeReply(sent.message_id, caller.member_id, parts);
    return { session_id: sent.session_id, task_id: sent.task_id, result: cut(reply.content) };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The whole reply. Whoever stops it ends the stream too. */
async function wholeReply(message_id: string, member_id: number, { follow }: AssignmentParts): Promise<Message> {
  const reading = new AbortController();
  let reply: Message | undefined;
  try {
    for await (const { type, data } of follow(message_id, member_id, { signal: reading.signal })) {
      if (type === 'message.failed') throw failureOf((data as { error?: Fault }).error);
      if (type === 'message.aborted') throw fail('cancelled', 'The reply was stopped before it was whole');
      if (type === 'message.completed') reply = (data as { message: Message }).message;
    }
  } finally {
    reading.abort();
  }
  if (!reply) throw fail('cancelled', 'The conversation was deleted before the reply was whole');
  return reply;
}

function failureOf({ code, message }: Fault = { code: 'interrupted', message: 'The reply failed' }) {
  return fail(code in codes ? (code as keyof typeof codes) : 'reply_failed', message);
}

function cut(text: string): string {
  return text.length > max_result_length ? `${text.slice(0, max_result_length - 1).toWellFormed()}…` : text;
}
