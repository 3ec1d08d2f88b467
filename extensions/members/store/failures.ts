import type { Database } from '../../../kernel/contract/index.js';
import { insert, read, sweep } from './sql.js';

/** One failed login. */
export interface StoredFailure {
  name_hash: string;
  address: string;
  network: string;
  /** The known device that it came from; empty for an unknown one. */
  device: string;
  failed_at: string;
}

/** The number of failed logins within a window, and the time of the oldest. */
export interface Failures {
  count: number;
  oldest: string | null;
}

/** Failed logins with one name within the hour. */
export interface NameFailures {
  /** From anywhere. */
  name: Failures;
  /** From the address, since `minute_ago`. */
  address: Failures;
  /** On the device. */
  device: Failures;
  /** On the device, since `minute_ago`. */
  device_minute: Failures;
}

/** Failed logins with any names within a minute. */
export interface NetworkFailures {
  network: Failures;
  /** The failures from the one address. */
  address: Failures;
}

type Counted<Keys extends string> = { [Key in `${Keys}_count`]: number } & { [Key in `${Keys}_oldest`]: string | null };

/** Rows at most: an attacker with ever new names makes one each. */
const most = 100_000;

const none: Failures = { count: 0, oldest: null };

export class FailureStore {
  readonly #db: Database;
  readonly #byName;
  readonly #byNetwork;

  constructor(db: Database) {
    this.#db = db;
    this.#byName = read<Counted<keyof NameFailures>>(
      db,
      `SELECT ${counted('name', 'failed_at > $5')}, ${counted('address', 'address = $2 AND failed_at > $4')},
         ${counted('device', 'device = $3')}, ${counted('device_minute', 'device = $3 AND failed_at > $4')}
       FROM members_failures WHERE name_hash = $1 AND failed_at > $5`,
    );
    this.#byNetwork = read<Counted<keyof NetworkFailures>>(
      db,
      `SELECT ${counted('network', 'failed_at > $3')}, ${counted('address', 'address = $2')}
       FROM members_failures WHERE network = $1 AND failed_at > $3`,
    );
  }

  async withName(
    { name_hash, address, device }: Pick<StoredFailure, 'name_hash' | 'address' | 'device'>,
    since: { hour_ago: string; minute_ago: string },
  ): Promise<NameFailures> {
    const [row] = await this.#byName(name_hash, address, device, since.minute_ago, since.hour_ago);
    if (!row) return { name: none, address: none, device: none, device_minute: none };
    return {
      name: { count: row.name_count, oldest: row.name_oldest },
      address: { count: row.address_count, oldest: row.address_oldest },
      device: { count: row.device_count, oldest: row.device_oldest },
      device_minute: { count: row.device_minute_count, oldest: row.device_minute_oldest },
    };
  }

  async inNetwork({ network, address }: Pick<StoredFailure, 'network' | 'address'>, minute_ago: string): Promise<NetworkFailures> {
    const [row] = await this.#byNetwork(network, address, minute_ago);
    if (!row) return { network: none, address: none };
    return {
      network: { count: row.network_count, oldest: row.network_oldest },
      address: { count: row.address_count, oldest: row.address_oldest },
    };
  }

  async insert(failure: StoredFailure): Promise<void> {
    await insert(this.#db, 'members_failures', failure);
  }

  /** Addresses with which many names failed since a time, with how many names; at most 100. */
  async shared(since: string, min_names: number): Promise<{ address: string; names: number }[]> {
    return this.#db.rows<{ address: string; names: number }>(
      `SELECT address, CAST(COUNT(DISTINCT name_hash) AS INTEGER) AS names FROM members_failures WHERE failed_at > $1
       GROUP BY address HAVING COUNT(DISTINCT name_hash) >= $2 ORDER BY names DESC, address LIMIT 100`,
      [since, min_names],
    );
  }

  async sweep(before: string): Promise<number> {
    const failures = { table: 'members_failures', key: 'id' };
    const old = await sweep(this.#db, { ...failures, where: 'failed_at <= $1' }, before);
    const [row] = await this.#db.rows<{ id: number }>(`SELECT id FROM members_failures ORDER BY id DESC LIMIT 1 OFFSET ${most}`);
    return old + (row ? await sweep(this.#db, { ...failures, where: 'id <= $1' }, row.id) : 0);
  }
}

function counted(name: string, condition: string): string {
  const rows = (value: string) => `CASE WHEN ${condition} THEN ${value} END`;
  return `CAST(COUNT(${rows('1')}) AS INTEGER) AS ${name}_count, MIN(${rows('failed_at')}) AS ${name}_oldest`;
}
