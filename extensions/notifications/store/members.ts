import type { Database, SqlValue } from '../../../kernel/contract/index.js';
import { type Chosen, chosenOf, textOf } from '../preferences/chosen.js';

interface Row {
  member_id: number;
  channels: string;
}

/** A window of time in which so many are let through. */
export interface Allowance {
  most: number;
  window_ms: number;
}

/** Table `notifications_members`: what each member has chosen; and by holding its row, whose turn it is to change what is the member's. */
export class MemberRows {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Runs `work` in a transaction while nobody else changes what is the member's; gives it what the member has chosen. */
  async hold<T>(member_id: number, work: (chosen: Chosen) => Promise<T>): Promise<T> {
    return this.#db.transaction(async () => work((await this.holdAll([member_id])).get(member_id) ?? new Map()));
  }

  /** Holds several until the transaction that runs here has ended, in the order of their ids. */
  async holdAll(ids: readonly number[]): Promise<ReadonlyMap<number, Chosen>> {
    const values: SqlValue[] = [...new Set(ids)].sort((one, other) => one - other);
    if (values.length === 0) return new Map();
    const places = values.map((_id, index) => `($${index + 1}, '{}', 0, 0)`).join();
    const rows = await this.#db.rows<Row>(
      `INSERT INTO notifications_members (member_id, channels, tests, tests_since) VALUES ${places}
       ON CONFLICT (member_id) DO UPDATE SET channels = notifications_members.channels RETURNING member_id, channels`,
      values,
    );
    return new Map(rows.map(({ member_id, channels }) => [member_id, chosenOf(channels)]));
  }

  async chosen(member_id: number): Promise<Chosen> {
    const [row] = await this.#db.rows<Row>('SELECT member_id, channels FROM notifications_members WHERE member_id = $1', [member_id]);
    return row ? chosenOf(row.channels) : new Map();
  }

  /** Hold the member. */
  async choose(member_id: number, chosen: Chosen): Promise<void> {
    await this.#db.run('UPDATE notifications_members SET channels = $2 WHERE member_id = $1', [member_id, textOf(chosen)]);
  }

  /** Counts one more test; gives in how many ms it may be tried again where there were enough. Hold the member. */
  async countTest(member_id: number, now: number, { most, window_ms }: Allowance): Promise<number | undefined> {
    const sql = 'SELECT tests, tests_since FROM notifications_members WHERE member_id = $1';
    const [row] = await this.#db.rows<{ tests: number; tests_since: number }>(sql, [member_id]);
    const since = Number(row?.tests_since ?? 0);
    const isOver = now - since >= window_ms;
    if (row && !isOver && row.tests >= most) return since + window_ms - now;
    await this.#db.run('UPDATE notifications_members SET tests = $2, tests_since = $3 WHERE member_id = $1', [
      member_id,
      isOver ? 1 : (row?.tests ?? 0) + 1,
      isOver ? now : since,
    ]);
    return undefined;
  }

  /** Members after `id` of whom something is kept, at most 500. */
  async after(id: number): Promise<number[]> {
    const sql = 'SELECT member_id FROM notifications_members WHERE member_id > $1 ORDER BY member_id LIMIT 500';
    return (await this.#db.rows<Row>(sql, [id])).map(({ member_id }) => member_id);
  }

  /** Removes all that is a member's. */
  async forget(member_id: number): Promise<void> {
    for (const table of ['members', 'deliveries', 'watermarks', 'items'])
      await this.#db.run(`DELETE FROM notifications_${table} WHERE member_id = $1`, [member_id]);
  }
}
