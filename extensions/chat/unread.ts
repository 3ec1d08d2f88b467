import type { Ports } from './ports.js';
import { notThere } from './replies/readers.js';

/** Counts unread messages of members. */
export class Unread {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Returns the unread counts of all sessions that the member sees. */
  async counts(member_id: number): Promise<{ counts: Record<string, number> }> {
    const rows = await this.#ports.positions.unread(member_id);
    return { counts: Object.fromEntries(rows.map(({ session_id, unread_count }) => [session_id, unread_count])) };
  }

  /** Marks a session as read. Fails with `session_not_found`. */
  async markRead(session_id: string, member_id: number): Promise<{ session_id: string; unread_count: 0 }> {
    const { sessions, positions, followers, frames, readBy } = this.#ports;
    const session = await sessions.get(session_id, member_id);
    if (!session) throw notThere(session_id);
    if (session.unread_count + session.mention_count > 0) {
      await positions.markRead(session_id, member_id);
      if (session.target_type === 'room') await followers.markRead(session_id, member_id);
      frames.unread(session_id, [{ member_id, unread_count: 0 }]);
    }
    await readBy({ session_id, member_id });
    return { session_id, unread_count: 0 };
  }
}
