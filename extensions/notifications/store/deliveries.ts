import type { Database, SqlValue } from '../../../kernel/contract/index.js';
import type { DeliveryRecord } from '../contract.js';
import { places } from './places.js';

/** A notification that is to go out by one channel, claimed. */
export interface Job {
  id: number;
  notification_id: number;
  member_id: number;
  channel: string;
  /** With this one. Tells the claim from a later one. */
  attempts: number;
}

/** A channel of a member. */
export type Route = Pick<Job, 'member_id' | 'channel'>;

interface Row extends Job {
  due_at: number;
}

/** How long a claim holds: longer than any attempt takes. */
const lease_ms = 90_000;

/** Table `notifications_deliveries`. Times are the database's own, so that instances' clocks needn't agree. */
export class Deliveries {
  readonly #db: Database;
  readonly #now: string;
  readonly #lease_ms: number;
  readonly #skipLocked: string;

  constructor(db: Database, lease = lease_ms) {
    this.#db = db;
    const postgres = db.dialect === 'postgres';
    this.#lease_ms = lease;
    this.#now = postgres
      ? '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
      : "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";
    this.#skipLocked = postgres ? 'FOR UPDATE OF d SKIP LOCKED' : '';
  }

  async insert(jobs: readonly (Route & { notification_id: number })[]): Promise<void> {
    if (jobs.length === 0) return;
    const values: SqlValue[] = [];
    const rows = jobs.map(({ notification_id, member_id, channel }) => {
      const at = values.push(notification_id, member_id, channel) - 2;
      return `($${at}, $${at + 1}, $${at + 2}, 'waiting', 0, ${this.#now})`;
    });
    await this.#db.run(
      `INSERT INTO notifications_deliveries (notification_id, member_id, channel, status, attempts, due_at) VALUES ${rows.join()}`,
      values,
    );
  }

  /** Whether one is due; a look that takes no turn among the writes. */
  async anyDue(): Promise<boolean> {
    const sql = `SELECT 1 AS due FROM notifications_deliveries WHERE status = 'waiting' AND due_at <= ${this.#now} LIMIT 1`;
    return (await this.#db.rows(sql)).length > 0;
  }

  /**
   * Claims the one that is due longest, but for routes in `full`; of these notifications alone where `only` is given. Should
   * this process end, it is due again after the lease. On PostgreSQL instances skip what another is just claiming.
   */
  async claim({ full, only }: { full: readonly Route[]; only?: readonly number[] | undefined }): Promise<Job | undefined> {
    const values: SqlValue[] = [];
    const others = full.map(({ member_id, channel }) => {
      const at = values.push(member_id, channel) - 1;
      return `AND NOT (d.member_id = $${at} AND d.channel = $${at + 1})`;
    });
    const among = only ? `AND d.notification_id IN (${places(only, values.length + 1)})` : '';
    const [row] = await this.#db.rows<Row>(
      `UPDATE notifications_deliveries SET attempts = attempts + 1, due_at = ${this.#now} + ${this.#lease_ms}
       WHERE id = (SELECT d.id FROM notifications_deliveries d WHERE d.status = 'waiting' AND d.due_at <= ${this.#now}
         ${others.join(' ')} ${among} ORDER BY d.due_at LIMIT 1 ${this.#skipLocked}) RETURNING *`,
      only ? [...values, ...only] : values,
    );
    if (!row) return undefined;
    const { member_id, channel, attempts } = row;
    return { id: Number(row.id), notification_id: Number(row.notification_id), member_id, channel, attempts };
  }

  /** Also where another process has claimed it meanwhile: what was accepted was accepted. */
  async accept({ id }: Job): Promise<void> {
    await this.#db.run(`UPDATE notifications_deliveries SET status = 'accepted', error = NULL WHERE id = $1`, [id]);
  }

  /** To be tried again after `wait_ms`, or never. Nothing where another process has claimed it meanwhile. */
  async fail({ id, attempts }: Job, error: string, wait_ms: number | undefined): Promise<void> {
    const status = wait_ms === undefined ? 'failed' : 'waiting';
    await this.#db.run(
      `UPDATE notifications_deliveries SET status = $3, error = $4, due_at = ${this.#now} + ${Math.round(wait_ms ?? 0)}
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
      `UPDATE notifications_deliveries SET attempts = attempts - 1, due_at = ${this.#now}
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
