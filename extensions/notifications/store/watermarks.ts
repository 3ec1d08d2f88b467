import type { Database } from '../../../kernel/contract/index.js';

/** Rows that one fold changes at most. */
const portion = 1_000;

interface Watermark {
  member_id: number;
  up_to: number;
  at: string;
}

/** Table `notifications_watermarks`: up to which id a member has read all, and when; until its rows say so themselves. */
export class Watermarks {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async set(member_id: number, up_to: number, at: string): Promise<void> {
    await this.#db.run('INSERT INTO notifications_watermarks (member_id, up_to, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      member_id,
      up_to,
      at,
    ]);
  }

  /** Some member that has one; a look that takes no turn among the writes. */
  async next(): Promise<number | undefined> {
    const [row] = await this.#db.rows<{ member_id: number }>('SELECT member_id FROM notifications_watermarks LIMIT 1');
    return row?.member_id;
  }

  /**
   * Writes a member's oldest one into some of its rows, and removes it once it is in all of them. The oldest first: a row
   * was read when it was first marked. Hold the member.
   */
  async fold(member_id: number): Promise<void> {
    const [oldest] = await this.#db.rows<Watermark>('SELECT * FROM notifications_watermarks WHERE member_id = $1 ORDER BY up_to LIMIT 1', [
      member_id,
    ]);
    if (!oldest) return;
    const folded = await this.#db.run(
      `UPDATE notifications_items SET state = 'read', read_at = $3 WHERE id IN (SELECT id FROM notifications_items
         WHERE member_id = $1 AND state IN ('pending', 'sent') AND id <= $2 ORDER BY id LIMIT ${portion})`,
      [member_id, Number(oldest.up_to), oldest.at],
    );
    if (folded === portion) return;
    await this.#db.run('DELETE FROM notifications_watermarks WHERE member_id = $1 AND up_to = $2', [member_id, Number(oldest.up_to)]);
  }
}
