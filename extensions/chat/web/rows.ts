import type { Message } from '../contract.js';

/** A message as the list shows it. */
export interface Row {
  message: Message;
  /** Whether it begins another day. */
  isNewDay: boolean;
  /** Whether it is the first that the member hasn't read. */
  isFirstUnread: boolean;
  /** Whether it follows one of the same sender within a few minutes, so that the name isn't repeated. */
  isFollowUp: boolean;
}

const together_ms = 5 * 60_000;

/** Arranges messages. Rows that are as before stay the same objects, so that they aren't drawn again. */
export function arrange(messages: readonly Message[], { before, unread, dayOf }: Arranging): Row[] {
  const known = new Map(before.map((row) => [row.message.id, row]));
  return messages.map((message, index) => {
    const previous = messages[index - 1];
    const isNewDay = previous === undefined || dayOf(previous.created_at) !== dayOf(message.created_at);
    const isFirstUnread = message.id === unread;
    const isFollowUp = !isNewDay && !isFirstUnread && follows(previous, message);
    const row = known.get(message.id);
    const isSame =
      row?.message === message && row.isNewDay === isNewDay && row.isFirstUnread === isFirstUnread && row.isFollowUp === isFollowUp;
    return isSame ? row : { message, isNewDay, isFirstUnread, isFollowUp };
  });
}

interface Arranging {
  before: readonly Row[];
  /** Id of the first message that the member hasn't read. */
  unread: string | undefined;
  dayOf: (iso: string) => string;
}

function follows(previous: Message, message: Message): boolean {
  if (previous.sender_id === null || previous.sender_id !== message.sender_id || previous.role !== message.role) return false;
  if (message.reply_to !== null) return false;
  return Date.parse(message.created_at) - Date.parse(previous.created_at) < together_ms;
}

/** Returns the id of the first of `count` unread messages; undefined if it isn't among the messages. */
export function firstUnread(messages: readonly Message[], { count, me }: { count: number; me: number }): string | undefined {
  let left = count;
  if (left === 0) return undefined;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index] as Message;
    if (message.sender_id !== me) left -= 1;
    if (left === 0) return message.id;
  }
  return undefined;
}
