import { type Database, databaseNow, type JobTable, Op, type SqlValue } from '../../../kernel/contract/index.js';
import type { DeliveryRecord } from '../contract.js';
import type { DeliveryRow, Models } from '../models.js';

/** A claimed delivery of a notification through a channel. */
export type Job = Pick<DeliveryRow, 'id' | 'notification_id' | 'member_id' | 'channel' | 'attempts'>;

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

/** Table `notifications_deliveries`. Times are from the database's clock, so the instances' clocks needn't agree. */
export class Deliveries {
  readonly #db: Database;
  readonly #model: Models['deliveries'];
  readonly #now: string;

  constructor(db: Database, model: Models['deliveries']) {
    this.#db = db;
    this.#model = model;
    this.#now = databaseNow(db);
  }

  /** Returns the ids, with RETURNING. Due immediately, by the database's time. */
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
    return inserted.map(({ id }) => id);
  }

  /** Applies even if another process has claimed it in the meantime: the channel has accepted it. */
  async accept({ id }: Job): Promise<void> {
    await this.#model.update({ status: 'accepted', error: null, owner: null }, { where: { id } });
  }

  /** Schedules a retry after `wait_ms` of the database's time, or none. Does nothing if another process has claimed it in the meantime. */
  async fail({ id, attempts }: Job, error: string, wait_ms: number | undefined): Promise<void> {
    const status = wait_ms === undefined ? 'failed' : 'waiting';
    await this.#db.run(
      `UPDATE notifications_deliveries SET status = $3, error = $4, owner = NULL, due_at = ${this.#now} + ${Math.round(wait_ms ?? 0)}
       WHERE id = $1 AND attempts = $2 AND status = 'waiting'`,
      [id, attempts, status, error],
    );
  }

  /** Deletes deliveries without an attempt. */
  async withdraw(notification_ids: readonly number[]): Promise<void> {
    await this.#model.destroy({ where: { notification_id: [...notification_ids], status: 'waiting', attempts: 0 } });
  }

  /** Undoes a claim; due immediately, by the database's time. */
  async release({ id, attempts }: Job): Promise<void> {
    await this.#db.run(
      `UPDATE notifications_deliveries SET attempts = attempts - 1, owner = NULL, due_at = ${this.#now}
       WHERE id = $1 AND attempts = $2 AND status = 'waiting'`,
      [id, attempts],
    );
  }

  /** Returns the error of the first channel that has not accepted it; null if none failed. */
  async errorOf(notification_id: number): Promise<string | null> {
    const where = { notification_id, status: { [Op.ne]: 'accepted' as const }, error: { [Op.ne]: null } };
    const row = await this.#model.findOne({ attributes: ['channel', 'error'], where, order: ['id'], raw: true });
    return row ? `${row.channel}: ${row.error}` : null;
  }

  recordsOf(notification_id: number): Promise<DeliveryRecord[]> {
    const attributes = ['channel', 'status', 'error', 'attempts'];
    return this.#model.findAll({ attributes, where: { notification_id }, order: ['channel'], raw: true });
  }
}
