import type { Database, SqlValue } from '../../../kernel/contract/index.js';

/** Notifications removed at a time, so that other writers get their turn in between. */
const portion = 500;

/** Removes what is too old, or too much; each call a few rows, and gives how many notifications. */
export class Retention {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  readBefore(time: string): Promise<number> {
    return this.#remove(`state = 'read' AND read_at < $1 ORDER BY read_at`, [time]);
  }

  unreadSince(time: string): Promise<number> {
    return this.#remove(`state <> 'read' AND created_at < $1 ORDER BY created_at`, [time]);
  }

  /** The oldest of a member that has more than it may. */
  async beyond({ member_id, surplus }: Surplus): Promise<number> {
    return this.#remove('member_id = $1 ORDER BY id', [member_id], Math.min(portion, surplus));
  }

  /** Members with more than `most`, and how many more. */
  async surplus(most: number): Promise<Surplus[]> {
    const rows = await this.#db.rows<{ member_id: number; total: number }>(
      'SELECT member_id, COUNT(*) AS total FROM notifications_items GROUP BY member_id HAVING COUNT(*) > $1',
      [most],
    );
    return rows.map(({ member_id, total }) => ({ member_id, surplus: Number(total) - most }));
  }

  #remove(where: string, values: readonly SqlValue[], limit = portion): Promise<number> {
    return this.#db.transaction(async () => {
      const rows = await this.#db.rows<{ id: number }>(
        `SELECT id FROM notifications_items WHERE ${where} LIMIT ${limit} FOR UPDATE`,
        values,
      );
      if (rows.length === 0) return 0;
      const ids = rows.map(({ id }) => Number(id)).join();
      await this.#db.run(`DELETE FROM notifications_deliveries WHERE notification_id IN (${ids})`);
      return this.#db.run(`DELETE FROM notifications_items WHERE id IN (${ids})`);
    });
  }
}

export interface Surplus {
  member_id: number;
  surplus: number;
}
