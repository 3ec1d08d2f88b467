import pg from 'pg';
import sqlite3 from 'sqlite3';
import { until } from '../helpers/eventually.js';

type Rows = (sql: string, values: readonly Value[]) => Promise<Record<string, unknown>[]>;
type Value = string | number | null;

/** The tables of a platform's schedules, reached beside the platform that runs on them. */
export class SchedulesTable {
  readonly #rows: Rows;
  readonly #isPostgres: boolean;
  readonly close: () => Promise<void>;

  private constructor(rows: Rows, { isPostgres, close }: { isPostgres: boolean; close: () => Promise<void> }) {
    this.#rows = rows;
    this.#isPostgres = isPostgres;
    this.close = close;
  }

  /** Opens the table of the SQLite file or PostgreSQL database at the address. */
  static async open(address: string): Promise<SchedulesTable> {
    if (address.startsWith('postgres')) {
      const client = new pg.Client({ connectionString: address });
      await client.connect();
      return new SchedulesTable(async (sql, values) => (await client.query(sql, [...values])).rows as Record<string, unknown>[], {
        isPostgres: true,
        close: () => client.end(),
      });
    }
    const file = new sqlite3.Database(address);
    file.configure('busyTimeout', 10_000);
    const rows = (sql: string, values: readonly Value[]) =>
      new Promise<Record<string, unknown>[]>((resolve, reject) => {
        file.all(sql, values, (fault, found) => (fault ? reject(fault) : resolve(found as Record<string, unknown>[])));
      });
    return new SchedulesTable(rows, { isPostgres: false, close: () => new Promise((resolve) => file.close(() => resolve())) });
  }

  async rows(sql: string, values: readonly Value[] = []): Promise<Record<string, unknown>[]> {
    return this.#rows(sql, values);
  }

  /** Adds schedules up to `count`, half of them cron expressions and half intervals, that are due at no time yet. */
  async fill(count: number): Promise<void> {
    const [{ there = 0 } = {}] = await this.rows('SELECT count(*) AS there FROM schedules_schedules');
    for (let n = Number(there); n < count; n += 500) {
      const rows = Array.from({ length: Math.min(500, count - n) }, (_, at) => rowOf(n + at)).join();
      await this.rows(
        `INSERT INTO schedules_schedules (name, search, trigger_type, trigger_value, timezone, action, params, enabled, overlap_policy, catch_up,
           timeout_s, retries, retry_delay_s, notify, created_by, created_at, updated_at, failures) VALUES ${rows}`,
      );
    }
  }

  /** Makes all of them due at one moment, with no history. */
  async due(at: number): Promise<void> {
    await this.rows('DELETE FROM schedules_runs');
    await this.rows(`UPDATE schedules_schedules SET enabled = 1, next_at = ${at}`);
  }

  /** Makes the first `count` of them due at a moment, with no history. */
  async dueFirst(count: number, at: number): Promise<void> {
    await this.rows('DELETE FROM schedules_runs');
    await this.rows(`UPDATE schedules_schedules SET next_at = ${at} WHERE id < (SELECT min(id) FROM schedules_schedules) + ${count}`);
  }

  /** Runs the vacuum that PostgreSQL starts by itself within a minute of such a change, once more if somebody still saw the old rows. */
  async tidy(): Promise<void> {
    if (!this.#isPostgres) await this.rows('ANALYZE');
    else
      await until(
        () => this.#vacuum(),
        (visible) => visible > 0.95,
      );
  }

  /** Returns the share of the schedules' pages that are visible to everybody, which counting skips. */
  async #vacuum(): Promise<number> {
    await this.rows('VACUUM ANALYZE schedules_schedules');
    const [page] = await this.rows(
      `SELECT relallvisible::float / greatest(relpages, 1) AS visible FROM pg_class WHERE relname = 'schedules_schedules'`,
    );
    return Number(page?.visible);
  }

  async count(where: string): Promise<number> {
    const [{ runs = 0 } = {}] = await this.rows(`SELECT count(*) AS runs FROM schedules_runs WHERE ${where}`);
    return Number(runs);
  }
}

/** Makes a row that is due in neither this hour nor the next, so that none comes due while it is watched. */
function rowOf(n: number): string {
  const now = new Date().toISOString();
  const hour = (Number(now.slice(11, 13)) + 2 + (n % 22)) % 24;
  const [type, value] = n % 2 === 0 ? ['cron', `${n % 60} ${hour} * * *`] : ['interval', '24h'];
  return `('Schedule ${n}', 'schedule ${n}', '${type}', '${value}', 'UTC', 'labour.work', '{"name":"n${n}","ms":5}', 0, 'skip', 'latest', 300, 0, 10,
    'failure', 1, '${now}', '${now}', 0)`;
}
