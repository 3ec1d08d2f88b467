import assert from 'node:assert/strict';
import type { Sequelize } from 'sequelize';
import type { Migration, MigrationContext } from '../../contract/data.js';
import type { Clock, Log } from '../../contract/extension.js';
import { makeMigrationsTable, type RanMigration, ranMigrations, recordMigration } from './database-sql.js';
import type { Facade } from './facade.js';
import { failData } from './failures.js';

/** The tools of migrations. */
export interface MigrationTools {
  orm: () => Sequelize;
  db: Facade;
}

export interface MigratorOptions {
  db: Facade;
  /** Lends what has time: to change a large table takes longer than a request may. */
  lend: <T>(work: (tools: MigrationTools) => Promise<T>) => Promise<T>;
  clock: Clock;
  log: Log;
  lock: <T>(name: string, work: () => Promise<T>, timeout_ms: number) => Promise<T>;
}

/** Under this lock alone a schema changes. */
export const migrations_lock = 'migrations';
/** Others may have many migrations to run before it is our turn. */
const lock_ms = 120_000;

/** Brings the tables of an owner (the kernel, an extension) to what its program wants. */
export class Migrator {
  readonly #options: MigratorOptions;
  /** Names of the migrations that this process has seen run, by owner. */
  readonly #upToDate = new Map<string, string>();

  constructor(options: MigratorOptions) {
    this.#options = options;
  }

  /**
   * The usual start costs one query, a replacement in this process none; umzug is loaded and the lock
   * taken only where something is to be run.
   */
  async migrate(owner: string, migrations: readonly Migration[]): Promise<void> {
    const names = migrations.map(({ name }) => name).join();
    if (this.#upToDate.get(owner) === names) return;
    await this.#bringUp(owner, migrations);
    this.#upToDate.set(owner, names);
  }

  async #bringUp(owner: string, migrations: readonly Migration[]): Promise<void> {
    checkNames(owner, migrations);
    const ran = await this.#ran(owner);
    checkKnown(owner, ran, migrations);
    const names = new Set(ran.map(({ name }) => name));
    if (migrations.every(({ name }) => names.has(name))) return;
    const { lock, lend } = this.#options;
    await lock(migrations_lock, () => lend((tools) => this.#runPending(owner, migrations, tools)), lock_ms);
  }

  async #runPending(owner: string, migrations: readonly Migration[], { db, orm }: MigrationTools): Promise<void> {
    const { clock, log } = this.#options;
    await makeMigrationsTable(db);
    const { Umzug } = await import('umzug');
    const context: MigrationContext = {
      dialect: db.dialect,
      // Most migrations are plain SQL: Sequelize is loaded for those that ask for it.
      get schema() {
        return orm().getQueryInterface();
      },
      run: async (sql) => void (await db.run(sql)),
    };
    const umzug = new Umzug({
      context,
      logger: undefined,
      storage: {
        executed: async () => (await this.#ran(owner)).map(({ name }) => name),
        // The row is written in the migration's own transaction.
        logMigration: () => Promise.resolve(),
        unlogMigration: () => Promise.reject(new Error('Migrations are not undone')),
      },
      migrations: migrations.map(({ name, up }) => ({
        name,
        up: () =>
          db.transaction(async () => {
            await up(context);
            await recordMigration(db, { owner, name, ran_at: clock.iso() });
          }),
      })),
    });
    const done = await umzug.up();
    log.debug('migrations ran', { owner, migrations: done.map(({ name }) => name) });
  }

  #ran(owner: string): Promise<RanMigration[]> {
    const { db } = this.#options;
    return ranMigrations(db, db.dialect, owner);
  }
}

function checkNames(owner: string, migrations: readonly Migration[]): void {
  const names = migrations.map(({ name }) => name);
  for (const name of names) assert(/^\d{4}-[a-z0-9-]+$/.test(name), `Migration '${name}' of '${owner}' must be named like 0001-members`);
  const sorted = [...new Set(names)].sort();
  assert.deepEqual(names, sorted, `The migrations of '${owner}' must be in the order of their names, each once`);
}

/** Refuses a database that a newer program has changed: this one would damage what it doesn't know. */
export function checkKnown(owner: string, ran: readonly RanMigration[], migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = ran.findLast(({ name }) => !known.has(name));
  if (!unknown) return;
  const newest = migrations.at(-1)?.name ?? 'none';
  throw failData(
    'schema_newer',
    `The database belongs to a newer version of '${owner}': it has the migration ${unknown.name}, this program knows up to ${newest}; start the newer program`,
    { since: unknown.ran_at || undefined },
  );
}
