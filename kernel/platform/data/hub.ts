import type { Migration } from '../../contract/data.js';
import type { Clock, Log } from '../../contract/extension.js';
import { defineModels, type KernelModels } from '../../core/models.js';
import { parseAddress } from './address.js';
import { ping, ranMigrations } from './database-sql.js';
import type { Connection, Driver, Snapshot, SnapshotOptions } from './driver.js';
import { Facade, type FacadeParts } from './facade.js';
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
  /** Id of this process. PostgreSQL's application name is `platform <instance>`, or `platform-command <instance>` for a command. */
  instance?: string;
  /** Whether this is a server instance, not a single command. Default true. */
  serves?: boolean;
  /** Limit of connections to PostgreSQL. Default 10. */
  connections?: number;
  /** Time after which an open transaction is rolled back. Default 60,000. */
  transaction_timeout_ms?: number;
  watch?: Watch | undefined;
  /** Returns whether a person waits for the current work. On SQLite such work writes first. */
  isAwaited?: () => boolean;
  /** Wait between a write and the emptying of SQLite's write-ahead log. Default 10,000. */
  empty_log_ms?: number;
}

/** Database of the installation. */
export interface Data {
  readonly dialect: 'sqlite' | 'postgres';
  /** Returns the access of one extension; `kernel` for the kernel's own tables. */
  facade(extension: string): Facade;
  /** Models of the kernel's own tables, defined at first use. */
  readonly models: KernelModels;
  /** Runs the migrations of an owner that have not run yet. Fails with `schema_newer`. */
  migrate(owner: string, migrations: readonly Migration[]): Promise<void>;
  /**
   * Runs work under a lock that is exclusive in the whole installation. Fails with `database_busy` after waiting `timeout_ms`
   * (default 30,000). Not reentrant.
   */
  lock<T>(name: string, work: () => Promise<T>, options?: { timeout_ms?: number }): Promise<T>;
  /**
   * Lends a snapshot of the committed data. Neither reads nor writes wait for it, however long it is held; on PostgreSQL, migrations do.
   */
  snapshot<T>(options: SnapshotOptions, work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /** Fails if the database doesn't answer. */
  ping(): Promise<void>;
  /** Returns its size on disk, in bytes. */
  size(): Promise<number>;
  /** Waits for running writes; later calls fail with `database_unavailable`. */
  close(): Promise<void>;
}

/**
 * Opens the database and migrates the kernel's tables. Fails with `database_corrupt`, `schema_newer`, `data_dir_unwritable` or
 * `database_unavailable`, and leaves the data untouched.
 */
export async function openData(options: DataOptions): Promise<Data> {
  const data = new DatabaseHub(await openDriver(options), options);
  try {
    await data.migrate('kernel', kernelMigrations);
    return data;
  } catch (error) {
    await data.close();
    throw error;
  }
}

/** Opens the driver; loads only the one that is used. */
async function openDriver(options: DataOptions): Promise<Driver> {
  const { url, data_dir, connections = 10, instance = '', serves = true, log, isAwaited, empty_log_ms } = options;
  const address = parseAddress(url, data_dir);
  if (address.dialect === 'sqlite') {
    const { openSqliteDriver } = await import('./sqlite/driver.js');
    return openSqliteDriver({ file: address.file, check: checkSchema, isAwaited, empty_log_ms });
  }
  const { openPostgresDriver } = await import('./postgres/driver.js');
  const name = `${serves ? 'platform' : 'platform-command'} ${instance}`.trim();
  return openPostgresDriver({ url: address.url, name, connections, log });
}

/** Rejects a SQLite file of a newer version before it is changed. */
async function checkSchema(connection: Connection): Promise<void> {
  checkKnown('kernel', await ranMigrations(connection, 'sqlite', 'kernel'), kernelMigrations);
}

/** Time limit of a migration. */
const migration_ms = 24 * 3_600_000;

class DatabaseHub implements Data {
  readonly #driver: Driver;
  readonly #parts: FacadeParts;
  readonly #kernel: Facade;
  #models: KernelModels | undefined;
  readonly #migrator: Migrator;

  constructor(driver: Driver, { clock, log, transaction_timeout_ms = 60_000, watch }: DataOptions) {
    this.#driver = driver;
    this.#parts = facadeParts(new Transactions({ driver, log, timeout_ms: transaction_timeout_ms, watch }), driver);
    this.#kernel = this.facade('kernel');
    const lend = <T>(work: (tools: MigrationTools) => Promise<T>) =>
      driver.withoutTimeLimit((unlimited) => {
        const parts = facadeParts(new Transactions({ driver: unlimited, log, timeout_ms: migration_ms, watch }), unlimited);
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
    // On PostgreSQL a schema change waits for snapshots that read the table, and all other statements wait for the change.
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

function facadeParts(transactions: Transactions, driver: Driver): FacadeParts {
  let loaded: Orm | undefined;
  return { driver, transactions, orm: () => (loaded ??= createOrm(driver, transactions)) };
}
