import type { Call, Caller } from '../../kernel/contract/index.js';
import type { Fault, Message, ReplyStream, SendInput, Sent } from '../chat/contract.js';
import { codes, fail } from './codes.js';
import type { Assignment, AssignmentInput } from './contract.js';

export interface AssignmentParts {
  /** Sends a message. With a key, repeated calls send it once. */
  send: (input: SendInput, caller: Caller, key: string | undefined) => Promise<Sent>;
  follow: (message_id: string, member_id: number, following: { signal: AbortSignal }) => ReplyStream;
  /** Stops the reply to a message. */
  abort: (message_id: string, caller: Caller) => Promise<unknown>;
}

type AssignmentCall = Pick<Call, 'caller' | 'signal' | 'idempotency_key'>;

/** Limit of the returned text, in characters. The session has the full text. */
const max_result_length = 4_000;

/**
 * Assigns work to an AI employee and waits for the reply. Fails if the reply fails; stops the reply if `signal` aborts.
 * A repeated call with the same key, however much later, waits for the same reply.
 */
export async function assign(
  { member_id, prompt, session_id }: AssignmentInput,
  { caller, signal, idempotency_key: key }: AssignmentCall,
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

/** Returns the complete reply. Stopping the reply ends the stream too. */
async function wholeReply(message_id: string, member_id: number, { follow }: AssignmentParts): Promise<Message> {
  const reading = new AbortController();
  let reply: Message | undefined;
  try {
    for await (const { type, data } of follow(message_id, member_id, { signal: reading.signal })) {
      if (type === 'message.failed') throw failureOf((data as { error?: Fault }).error);
      if (type === 'message.aborted') throw fail('cancelled', 'The reply was stopped before it was complete');
      if (type === 'message.completed') reply = (data as { message: Message }).message;
    }
  } finally {
    reading.abort();
  }
  if (!reply) throw fail('cancelled', 'The conversation was deleted before the reply was complete');
  return reply;
}

function failureOf({ code, message }: Fault = { code: 'interrupted', message: 'The reply failed' }) {
  return fail(code in codes ? (code as keyof typeof codes) : 'reply_failed', message);
}

function cut(text: string): string {
  return text.length > max_result_length ? `${text.slice(0, max_result_length - 1).toWellFormed()}…` : text;
}
