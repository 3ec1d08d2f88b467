import type { Database } from '../../../kernel/contract/index.js';
import { insert, read, sweep } from './sql.js';

/** Failed logins with one name. */
export interface FailureCounts {
  /** Since `hour_ago`, from anywhere. */
  by_name: number;
  /** Since `minute_ago`, from one address. */
  by_address: number;
  oldest_by_name: string | null;
  oldest_by_address: string | null;
}

/** Rows at most: an attacker with ever new names makes one each. */
const most = 100_000;

export class FailureStore {
  readonly #db: Database;
  readonly #counts;

  constructor(db: Database) {
    this.#db = db;
    const here = 'CASE WHEN address = $2 AND failed_at > $4 THEN';
    this.#counts = read<FailureCounts>(
      db,
      `SELECT CAST(COUNT(*) AS INTEGER) AS by_name, CAST(COUNT(${here} 1 END) AS INTEGER) AS by_address,
         MIN(failed_at) AS oldest_by_name, MIN(${here} failed_at END) AS oldest_by_address
       FROM members_failures WHERE name_hash = $1 AND failed_at > $3`,
    );
  }

  async counts(name_hash: string, address: string, since: { hour_ago: string; minute_ago: string }): Promise<FailureCounts> {
    const [row] = await this.#counts(name_hash, address, since.hour_ago, since.minute_ago);
    return row ?? { by_name: 0, by_address: 0, oldest_by_name: null, oldest_by_address: null };
  }

  async insert(name_hash: string, address: string, failed_at: string): Promise<void> {
    await insert(this.#db, 'members_failures', { name_hash, address, failed_at });
  }

  async sweep(before: string): Promise<number> {
    const failures = { table: 'members_failures', key: 'id' };
    const old = await sweep(this.#db, { ...failures, where: 'failed_at <= $1' }, before);
    const [row] = await this.#db.rows<{ id: number }>(`SELECT id FROM members_failures ORDER BY id DESC LIMIT 1 OFFSET ${most}`);
    return old + (row ? await sweep(this.#db, { ...failures, where: 'id <= $1' }, row.id) : 0);
  }
}
