import { fail, invalidInput } from './codes.js';
import type { Message, SendInput } from './contract.js';
import type { Ports } from './ports.js';

/** Place of a new message in its session. */
export type ThreadPlace = Pick<Message, 'reply_to' | 'thread_id'>;

/** Fails with `invalid_input` if a message without a session names others. */
export function assertSession({ session_id, reply_to, thread_id }: SendInput): void {
  if (session_id || (!reply_to && !thread_id)) return;
  throw invalidInput('session_id', "'reply_to' and 'thread_id' need the 'session_id' of their session");
}

/** Returns the place of a new message. Reads nothing if the message names no other. Fails with `message_not_found`. */
export async function placeOf(
  { messages }: Pick<Ports, 'messages'>,
  session_id: string,
  { reply_to, thread_id }: Pick<SendInput, 'reply_to' | 'thread_id'>,
): Promise<ThreadPlace> {
  const ids = [reply_to, thread_id].filter((id) => typeof id === 'string');
  if (ids.length === 0) return { reply_to: null, thread_id: null };
  const found = new Map((await messages.among(session_id, ids)).map((message) => [message.id, message]));
  for (const id of ids) if (!found.has(id)) throw fail('message_not_found', `There is no message ${id} in session ${session_id}`);
  const named = thread_id ? found.get(thread_id) : undefined;
  return { reply_to: reply_to ?? null, thread_id: named ? (named.thread_id ?? named.id) : null };
}

/** Sends the first message of a thread again, because its number of replies has changed. No effect outside of threads. */
export async function showRoot(
  { frames, messages }: Pick<Ports, 'frames' | 'messages'>,
  thread_id: string | null,
  readers: readonly number[],
): Promise<void> {
  const root = thread_id === null ? undefined : await messages.find(thread_id);
  if (root) frames.updated(readers, root.message);
}
