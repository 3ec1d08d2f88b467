import type { Ports } from '../ports.js';
import type { Reader } from './readers.js';

/** Marks a session as read up to a message that its reader was just given. What came later stays unread. Never fails. */
export async function markReadUpTo(ports: Ports, { session_id, member_id }: Reader, message_id: string): Promise<void> {
  const { sessions, frames, log, readBy } = ports;
  try {
    if (!(await sessions.hasUnread(session_id, member_id))) return;
    const unread_count = await sessions.readUpTo(session_id, member_id, message_id);
    if (unread_count === undefined) return;
    frames.unread(session_id, [{ member_id, unread_count }]);
    if (unread_count === 0) await readBy({ session_id, member_id });
  } catch (err) {
    log.warn('A session could not be marked as read up to what its reader was given', { session_id, err });
  }
}
