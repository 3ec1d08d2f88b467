import { type Database, type SqlValue, tuple } from '../../../kernel/contract/index.js';
import type { Models } from '../models.js';

/** Table `chat_thread_followers`: who follows which thread of a room. */
export class Followers {
  readonly #db: Database;
  readonly #model: Models['followers'];

  constructor(db: Database, model: Models['followers']) {
    this.#db = db;
    this.#model = model;
  }

  /**
   * Lets members follow a thread: the writer of its latest message, who has read all of it, those whom the message mentions, and the writer
   * of its first message.
   * `ON CONFLICT`: a member may follow it already. Benchmark row `rooms`: each message in a thread.
   */
  async add(
    thread: { root_id: string; session_id: string },
    { writer, mentioned }: { writer: number; mentioned: readonly number[] },
  ): Promise<void> {
    const { root_id, session_id } = thread;
    const values: SqlValue[] = [root_id, session_id];
    const ids = new Set([writer, ...mentioned]);
    const rows = [...ids].map((id) => tuple(values, [id, id === writer ? 0 : 1]));
    const count = '(SELECT reply_count FROM chat_messages WHERE id = $1)';
    const others = [...ids].map((id) => `$${values.push(id)}`).join();
    await this.#db.run(
      `INSERT INTO chat_thread_followers (root_id, session_id, member_id, read_count)
       SELECT $1, $2, CAST(v.column1 AS INTEGER), ${count} - CAST(v.column2 AS INTEGER) FROM (VALUES ${rows.join()}) AS v
       UNION ALL SELECT $1, $2, r.sender_id, r.reply_count - 1 FROM chat_messages r
         WHERE r.id = $1 AND r.role = 'user' AND r.sender_id IS NOT NULL AND r.sender_id NOT IN (${others})
       ON CONFLICT (root_id, member_id) DO UPDATE
         SET read_count = CASE WHEN excluded.member_id = ${`$${values.push(writer)}`} THEN excluded.read_count ELSE chat_thread_followers.read_count END`,
      values,
    );
  }

  /** Marks all threads of a session as read by a member. Plain SQL, because each count comes from the thread's first message. */
  async markRead(session_id: string, member_id: number): Promise<void> {
    const count = '(SELECT m.reply_count FROM chat_messages m WHERE m.id = root_id)';
    await this.#db.run(
      `UPDATE chat_thread_followers SET read_count = ${count} WHERE session_id = $1 AND member_id = $2 AND read_count < ${count}`,
      [session_id, member_id],
    );
  }

  async leave(session_id: string, member_ids: readonly number[]): Promise<void> {
    await this.#model.destroy({ where: { session_id, member_id: [...member_ids] } });
  }

  async deleteOf(sessions: readonly string[]): Promise<void> {
    await this.#model.destroy({ where: { session_id: [...sessions] } });
  }
}
