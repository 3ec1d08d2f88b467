import { type Database, databaseNow, type JobTable, type SqlValue } from '../../../kernel/contract/index.js';
import type { DeliveryRecord } from '../contract.js';
import { places } from './places.js';

/** A notification that a claim lets go out by one channel. */
export interface Job {
  id: number;
  notification_id: number;
  member_id: number;
  channel: string;
  /** With this one. Tells the claim from a later one. */
  attempts: number;
}

/** Rows are claimed with `owner` until `due_at`. */
export const jobTable: JobTable = {
  name: 'notifications_deliveries',
  lease: 'due_at',
  ready: () => "j.status = 'waiting'",
  active: "status = 'waiting'",
  order: 'j.due_at',
  start: () => 'attempts = attempts + 1',
  returning: 'id, notification_id, member_id, channel, attempts',
};

/** Table `notifications_deliveries`. Times are the database's own, so that instances' clocks needn't agree. */
export class Deliveries {
  readonly #db: Database;
  readonly #now: string;

  constructor(db: Database) {
    this.#db = db;
    this.#now = databaseNow(db);
  }

  /** Returns their ids. */
  async insert(jobs: readonly Pick<Job, 'notification_id' | 'member_id' | 'channel'>[]): Promise<number[]> {
    if (jobs.length === 0) return [];
    const values: SqlValue[] = [];
    const rows = jobs.map(({ notification_id, member_id, channel }) => {
      const at = values.push(notification_id, member_id, channel) - 2;
      return `($${at}, $${at + 1}, $${at + 2}, 'waiting', 0, ${this.#now})`;
    });
    const inserted = await this.#db.rows<{ id: number }>(
      `INSERT INTO notifications_deliveries (notification_id, member_id, channel, status, attempts, due_at) VALUES ${rows.join()} RETURNING id`,
      values,
    );
    return inserted.map(({ id }) => Number(id));
  }

  /** Also where another process has claimed it meanwhile: what was accepted was accepted. */
  async accept({ id }: Job): Promise<void> {
    await this.#db.run(`UPDATE notifications_deliveries SET status = 'accepted', error = NULL, owner = NULL WHERE id = $1`, [id]);
  }

  /** To be tried again after `wait_ms`, or never. Nothing where another process has claimed it meanwhile. */
  async fail({ id, attempts }: Job, error: string, wait_ms: number | undefined): Promise<void> {
    const status = wait_ms === undefined ? 'failed' : 'waiting';
    await this.#db.run(
      `UPDATE notifications_deliveries SET status = $3, error = $4, owner = NULL, due_at = ${this.#now} + ${Math.round(wait_ms ?? 0)}
       WHERE id = $1 AND attempts = $2 AND status = 'waiting'`,
      [id, attempts, status, error],
    );
  }

  /** Removes what has not been tried yet. */
  async withdraw(notification_ids: readonly number[]): Promise<void> {
    await this.#db.run(
      `DELETE FROM notifications_deliveries WHERE notification_id IN (${places(notification_ids)}) AND status = 'waiting' AND attempts = 0`,
      notification_ids,
    );
  }

  /** Gives a claim back, as though it had not been made. */
  async release({ id, attempts }: Job): Promise<void> {
    await this.#db.run(
      `UPDATE notifications_deliveries SET attempts = attempts - 1, owner = NULL, due_at = ${this.#now}
       WHERE id = $1 AND attempts = $2 AND status = 'waiting'`,
      [id, attempts],
    );
  }

  /** Of the channels that have not accepted it the first one's; null where none has failed. */
  async errorOf(notification_id: number): Promise<string | null> {
    const [row] = await this.#db.rows<{ channel: string; error: string }>(
      `SELECT channel, error FROM notifications_deliveries WHERE notification_id = $1 AND status <> 'accepted' AND error IS NOT NULL
       ORDER BY id LIMIT 1`,
      [notification_id],
    );
    return row ? `${row.channel}: ${row.error}` : null;
  }

  async of(notification_id: number): Promise<DeliveryRecord[]> {
    return this.#db.rows<DeliveryRecord & object>(
      'SELECT channel, status, error, attempts FROM notifications_deliveries WHERE notification_id = $1 ORDER BY channel',
      [notification_id],
    );
  }
}
