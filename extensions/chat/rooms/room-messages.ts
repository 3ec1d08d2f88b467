import type { Message } from '../contract.js';
import type { Ports } from '../ports.js';
import { startOf } from '../text.js';
import type { Addressed } from './addressees.js';

interface SentToRoom {
  id: string;
  session_id: string;
  /** Title of the room. */
  title: string;
  sender_id: number;
  sender_name: string;
  preview: string;
  created_at: string;
}

/** Stores the mentions of a message and emits its event, if anybody wants to be notified of it; within the current transaction. */
export async function emitRoomMessage(
  { rooms, clock, emit }: Pick<Ports, 'rooms' | 'clock' | 'emit'>,
  { mentions, people, everyone }: Addressed,
  message: SentToRoom,
): Promise<void> {
  if (mentions.length > 0) await rooms.addMentions(message, mentions);
  const { id: message_id, session_id, title, sender_id, sender_name, preview } = message;
  const others = people.filter((id) => id !== sender_id);
  const mentioned = others.length > 0 ? await rooms.notified(session_id, { ids: others, now: clock.iso() }) : [];
  if (mentioned.length === 0 && !everyone && !(await rooms.hasListeners(session_id))) return;
  await emit('chat.room_message', { session_id, title, message_id, sender_id, sender_name, mentioned, everyone, preview });
}

/**
 * Emits the event of an AI employee's complete answer in a room, if anybody wants to be notified of each message; within the current
 * transaction. `except`: members who are notified in another way.
 */
export async function emitRoomAnswer(
  { rooms, emit }: Pick<Ports, 'rooms' | 'emit'>,
  { id: message_id, session_id, sender_id, sender_name, content }: Message,
  except: readonly number[],
): Promise<void> {
  const room = sender_id !== null && (await rooms.hasListeners(session_id)) ? await rooms.find(session_id) : undefined;
  if (!room || sender_id === null) return;
  const about = { session_id, title: room.title, message_id, sender_id, sender_name, preview: startOf(content, 100) };
  await emit('chat.room_message', { ...about, mentioned: [], everyone: false, except: [...except] });
}
