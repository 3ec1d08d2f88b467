import type { Migration } from '../../contract/data.js';
import type { Clock, Log } from '../../contract/extension.js';
import { defineModels, type KernelModels } from '../../core/models.js';
import { parseAddress } from './address.js';
import { ping, ranMigrations } from './database-sql.js';
import type { Connection, Driver, Snapshot, SnapshotOptions } from './driver.js';
import { Facade, type Parts } from './facade.js';
import { checkKnown, type MigrationTools, Migrator, migrations_lock } from './migrate.js';
import { kernelMigrations } from './migrations.js';
import { createOrm, type Orm } from './orm.js';
import { Transactions, type Watch } from './transactions.js';

export interface DataOptions {
  /** `sqlite:` (the file `platform.db` of the data folder), `sqlite:/path`, or `postgres://…`. */
  url: string;
  data_dir: string;
  clock: Clock;
  log: Log;
  /** Names this process to PostgreSQL, behind `platform`, or behind `platform-command` where it serves nobody. */
  instance?: string;
  /** Whether it is an instance that others count on, and no command that ends with its work. Default true. */
  serves?: boolean;
  /** How many connections to PostgreSQL are kept at most. Default 10. */
  connections?: number;
  /** How long a transaction may be open before it is rolled back. Default 60,000. */
  transaction_timeout_ms?: number;
  watch?: Watch | undefined;
  /** Whether somebody waits for what runs now: it writes first, where one writes at a time. */
  isAwaited?: () => boolean;
}

/** The one database of an installation. */
export interface Data {
  readonly dialect: 'sqlite' | 'postgres';
  /** The part of one extension; `kernel` for the kernel's own tables. */
  facade(extension: string): Facade;
  /** Models of the kernel's own tables, defined at the first use. */
  readonly models: KernelModels;
  /** Runs the migrations of an owner that have not run yet. Fails with `schema_newer`. */
  migrate(owner: string, migrations: readonly Migration[]): Promise<void>;
  /**
   * Runs work that no two processes of the installation may run at once. Fails with `database_busy`
   * after `timeout_ms` (default 30,000) of waiting. Not for taking again inside of it.
   */
  lock<T>(name: string, work: () => Promise<T>, options?: { timeout_ms?: number }): Promise<T>;
  /**
   * Lends a snapshot of all that is committed now. Neither reads nor writes wait for it, however long it is held; on
   * PostgreSQL migrations do.
   */
  snapshot<T>(options: SnapshotOptions, work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /** Fails where the database doesn't answer. */
  ping(): Promise<void>;
  /** How large it is on disk, in bytes. */
  size(): Promise<number>;
  /** Waits for the writes under way; everything after it fails with `database_unavailable`. */
  close(): Promise<void>;
}

/**
 * Opens the database and brings the kernel's own tables up to date. Fails, with the data untouched,
 * with `database_corrupt`, `schema_newer`, `data_dir_unwritable` or `database_unavailable`.
 */
export async function openData(options: DataOptions): Promise<Data> {
  const data = new Hub(await openDriver(options), options);
  try {
    await data.migrate('kernel', kernelMigrations);
    return data;
  } catch (error) {
    await data.close();
    throw error;
  }
}

/** Only the driver that is used is loaded. */
async function openDriver({ url, data_dir, connections = 10, instance = '', serves = true, log, isAwaited }: DataOptions): Promise<Driver> {
  const address = parseAddress(url, data_dir);
  if (address.dialect === 'sqlite') {
    const { openSqliteDriver } = await import('./sqlite/driver.js');
    return openSqliteDriver({ file: address.file, check: checkSchema, isAwaited });
  }
  const { openPostgresDriver } = await import('./postgres/driver.js');
  const name = `${serves ? 'platform' : 'platform-command'} ${instance}`.trim();
  return openPostgresDriver({ url: address.url, name, connections, log });
}

/** Refuses a newer SQLite file before anything is set on it. */
async function checkSchema(connection: Connection): Promise<void> {
  checkKnown('kernel', await ranMigrations(connection, 'sqlite', 'kernel'), kernelMigrations);
}

/** How long a migration may take. */
const migration_ms = 24 * 3_600_000;

class Hub implements Data {
  readonly #driver: Driver;
  readonly #parts: Parts;
  readonly #kernel: Facade;
  #models: KernelModels | undefined;
  readonly #migrator: Migrator;

  constructor(driver: Driver, { clock, log, transaction_timeout_ms = 60_000, watch }: DataOptions) {
    this.#driver = driver;
    this.#parts = partsOf(new Transactions({ driver, log, timeout_ms: transaction_timeout_ms, watch }), driver);
    this.#kernel = this.facade('kernel');
    const lend = <T>(work: (tools: MigrationTools) => Promise<T>) =>
      driver.patiently((patient) => {
        const parts = partsOf(new Transactions({ driver: patient, log, timeout_ms: migration_ms, watch }), patient);
        return work({ db: new Facade('kernel', parts), orm: () => parts.orm().sequelize });
      });
    this.#migrator = new Migrator({ db: this.#kernel, lend, clock, log, lock: driver.lock.bind(driver) });
  }

  get dialect(): 'sqlite' | 'postgres' {
    return this.#driver.dialect;
  }

  facade(extension: string): Facade {
    return new Facade(extension, this.#parts);
  }

  get models(): KernelModels {
    this.#models ??= defineModels(this.#kernel);
    return this.#models;
  }

  migrate(owner: string, migrations: readonly Migration[]): Promise<void> {
    return this.#migrator.migrate(owner, migrations);
  }

  lock<T>(name: string, work: () => Promise<T>, options: { timeout_ms?: number } = {}): Promise<T> {
    return this.#driver.lock(name, work, options.timeout_ms ?? 30_000);
  }

  snapshot<T>(options: SnapshotOptions, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    if (this.dialect === 'sqlite') return this.#driver.snapshot(options, work);
    // There a change of a table that the snapshot has read waits for its end, and all others wait for the change.
    return this.lock(migrations_lock, () => this.#driver.snapshot(options, work));
  }

  ping(): Promise<void> {
    return ping(this.#kernel);
  }

  size(): Promise<number> {
    return this.#driver.size();
  }

  close(): Promise<void> {
    return this.#driver.close();
  }
}

function partsOf(transactions: Transactions, driver: Driver): Parts {
  let loaded: Orm | undefined;
  return { driver, transactions, orm: () => (loaded ??= createOrm(driver, transactions)) };
}
