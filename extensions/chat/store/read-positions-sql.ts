import { type Database, type SqlValue, tuple } from '../../../kernel/contract/index.js';
import type { Message } from '../contract.js';
import type { ParticipantRow } from '../models.js';
import type { ReadMark } from '../replies/read-marks.js';
import { unreadCount } from './session-record-sql.js';
import type { Participation, UnreadCount } from './sessions-sql.js';

/** Whether message `m` is one that members read. */
const isCounted = "m.status NOT IN ('pending', 'streaming') AND m.deleted_at IS NULL";

/** A message that is about to be deleted. */
type DeletedMessage = Pick<Message, 'id' | 'session_id' | 'sender_id' | 'thread_id' | 'created_at'>;

/**
 * How far each member has read each session, in `chat_participants`. A conversation of two stores the number of unread messages. A room
 * stores the position of the last read message, so that a message changes no row of its readers.
 */
export class ReadPositions {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns the unread count of each session that the member sees. Benchmark row `growth-messages`: thousands of sessions a request. */
  async unread(member_id: number): Promise<Pick<ParticipantRow, 'session_id' | 'unread_count'>[]> {
    const rows = await this.#db.rows<Pick<ParticipantRow, 'session_id' | 'unread_count'>>(
      `SELECT session_id, unread_count FROM chat_participants WHERE member_id = $1 AND hidden = 0 AND target_type <> 'room'
       UNION ALL SELECT p.session_id, ${unreadCount} FROM chat_participants p JOIN chat_sessions s ON s.id = p.session_id
         WHERE p.member_id = $1 AND p.target_type = 'room'`,
      [member_id],
    );
    return rows.map(({ session_id, unread_count }) => ({ session_id, unread_count: Math.max(0, Number(unread_count)) }));
  }

  /**
   * Leaves unread only what others have written after the marked messages. Returns the count for each mark, undefined if nothing was
   * unread. If a member has two marks in one session, the later one counts. RETURNING, and benchmark row `streams`: runs for the readers
   * of each reply that ends.
   */
  async readUpTo(marks: readonly ReadMark[]): Promise<(number | undefined)[]> {
    const latest = new Map(marks.map((mark) => [keyOf(mark), mark]));
    const values: SqlValue[] = [];
    const rows = [...latest.values()].map(({ session_id, member_id, message_id }) => tuple(values, [session_id, member_id, message_id]));
    const later = `(SELECT COUNT(*) FROM chat_messages m WHERE m.session_id = v.column1 AND m.sender_id <> CAST(v.column2 AS INTEGER)
      AND ${isCounted} AND m.created_at > (SELECT r.created_at FROM chat_messages r WHERE r.id = v.column3))`;
    const ofMark = `chat_participants.session_id = v.column1 AND chat_participants.member_id = CAST(v.column2 AS INTEGER)`;
    const changed = await this.#db.rows<UnreadCount & Participation>(
      `UPDATE chat_participants SET unread_count = CASE WHEN ${later} < unread_count THEN ${later} ELSE unread_count END
       FROM (VALUES ${rows.join()}) AS v WHERE ${ofMark} AND unread_count > 0 RETURNING session_id, member_id, unread_count`,
      values,
    );
    changed.push(...(await this.#readRoomsUpTo(rows, values, ofMark)));
    const counts = new Map(changed.map((row) => [keyOf(row), row.unread_count]));
    return marks.map((mark) => counts.get(keyOf(mark)));
  }

  /** Moves positions in rooms forward. RETURNING: others may move them meanwhile. */
  #readRoomsUpTo(rows: readonly string[], values: readonly SqlValue[], ofMark: string): Promise<(UnreadCount & Participation)[]> {
    // SQLite's RETURNING sees no table but the one that is updated.
    const count = '(SELECT s.message_count FROM chat_sessions s WHERE s.id = chat_participants.session_id)';
    return this.#db.rows(
      `UPDATE chat_participants SET read_count = CASE WHEN m.ordinal > read_count THEN m.ordinal ELSE read_count END,
         read_at = CASE WHEN m.created_at > read_at THEN m.created_at ELSE read_at END
       FROM (VALUES ${rows.join()}) AS v JOIN chat_messages m ON m.id = v.column3
       WHERE ${ofMark} AND target_type = 'room' AND m.ordinal > 0 AND (m.ordinal > read_count OR m.created_at > read_at)
       RETURNING chat_participants.session_id, chat_participants.member_id, ${count} - read_count AS unread_count`,
      values,
    );
  }

  /** Marks everything as read. Plain SQL, because a room's position comes from its session in the same statement. */
  async markRead(session_id: string, member_id: number): Promise<void> {
    await this.#db.run(
      `UPDATE chat_participants SET unread_count = 0,
         read_count = CASE WHEN chat_participants.target_type = 'room' THEN s.message_count ELSE read_count END,
         read_at = CASE WHEN chat_participants.target_type = 'room' THEN COALESCE(s.last_message_at, read_at) ELSE read_at END
       FROM chat_sessions s WHERE s.id = $1 AND chat_participants.session_id = $1 AND chat_participants.member_id = $2`,
      [session_id, member_id],
    );
  }

  /**
   * Takes a message that is about to be deleted from the counts of a conversation of two: as many of the last messages of others as the count
   * says are unread. Lock the session first. RETURNING gives the new counts.
   */
  withdraw({ session_id, sender_id, created_at }: DeletedMessage): Promise<UnreadCount[]> {
    const later = `(SELECT COUNT(*) FROM chat_messages m WHERE m.session_id = $1 AND m.created_at > $2 AND ${isCounted}
      AND COALESCE(m.sender_id, 0) <> chat_participants.member_id)`;
    return this.#db.rows(
      `UPDATE chat_participants SET unread_count = unread_count - 1
       WHERE session_id = $1 AND member_id <> $3 AND unread_count > ${later} RETURNING member_id, unread_count`,
      [session_id, created_at, sender_id ?? 0],
    );
  }

  /** Does the same in a room, where it moves the read positions. Plain SQL: the counts come from other tables in the same statement. */
  async withdrawInRoom(message: DeletedMessage): Promise<void> {
    if (message.thread_id !== null) return this.#withdrawInThread(message);
    const ordinal = '(SELECT d.ordinal FROM chat_messages d WHERE d.id = $2)';
    const later = `(SELECT COUNT(*) FROM chat_messages m WHERE m.session_id = $1 AND m.ordinal > ${ordinal} AND m.thread_id IS NULL AND ${isCounted})`;
    await this.#db.run(
      `UPDATE chat_participants SET read_count = read_count + 1
       WHERE session_id = $1 AND (SELECT s.message_count FROM chat_sessions s WHERE s.id = $1) - read_count > ${later}`,
      [message.session_id, message.id],
    );
  }

  /** Does the same in a thread. Plain SQL: the count comes from the thread's first message. */
  async #withdrawInThread({ session_id, thread_id, created_at }: DeletedMessage): Promise<void> {
    const later = `(SELECT COUNT(*) FROM chat_messages m WHERE m.session_id = $1 AND m.thread_id = $2 AND m.created_at > $3 AND ${isCounted})`;
    await this.#db.run(
      `UPDATE chat_thread_followers SET read_count = read_count + 1
       WHERE root_id = $2 AND (SELECT r.reply_count FROM chat_messages r WHERE r.id = $2) - read_count > ${later}`,
      [session_id, thread_id, created_at],
    );
  }
}

function keyOf({ session_id, member_id }: Participation): string {
  return `${member_id} ${session_id}`;
}
