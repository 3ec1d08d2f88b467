import { type Database, deletePortions, hotRead, Op } from '../../../kernel/contract/index.js';
import type { FailureRow, Models } from '../models.js';
import { failuresInNetwork, failuresWithName } from './credentials-sql.js';

/** Failed login. */
export type StoredFailure = Omit<FailureRow, 'id'>;

/** Number of failed logins within a window, and the time of the oldest. */
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
  /** Failures from the address. */
  address: Failures;
}

type Counted<Keys extends string> = { [Key in `${Keys}_count`]: number } & { [Key in `${Keys}_oldest`]: string | null };

/** Limit of rows, because an attacker with ever new names adds one each. */
const max_failures = 100_000;

const none: Failures = { count: 0, oldest: null };

export class FailureStore {
  readonly #db: Database;
  readonly #model: Models['failures'];
  readonly #byName;
  readonly #byNetwork;

  constructor(db: Database, model: Models['failures']) {
    this.#db = db;
    this.#model = model;
    this.#byName = hotRead<Counted<keyof NameFailures>>(db, failuresWithName);
    this.#byNetwork = hotRead<Counted<keyof NetworkFailures>>(db, failuresInNetwork);
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
    await this.#model.create(failure);
  }

  /** Lists addresses with failures for many names since a time; at most 100. */
  async shared(since: string, min_names: number): Promise<{ address: string; names: number }[]> {
    const { fn, col, where } = this.#db.expressions;
    const names = fn('count', fn('distinct', col('name_hash')));
    const found: object[] = await this.#model.findAll({
      attributes: ['address', [names, 'names']],
      where: { failed_at: { [Op.gt]: since } },
      group: ['address'],
      having: where(names, Op.gte, min_names),
      order: [[names, 'DESC'], 'address'],
      limit: 100,
      raw: true,
    });
    return found as { address: string; names: number }[];
  }

  async sweep(before: string): Promise<number> {
    const old = await deletePortions(this.#model, { failed_at: { [Op.lte]: before } });
    const surplus = await this.#model.findOne({ attributes: ['id'], order: [['id', 'DESC']], offset: max_failures, raw: true });
    return old + (surplus ? await deletePortions(this.#model, { id: { [Op.lte]: surplus.id } }) : 0);
  }
}
