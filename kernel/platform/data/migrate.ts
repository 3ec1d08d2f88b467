import assert from 'node:assert/strict';
import type { Sequelize } from 'sequelize';
import type { Migration, MigrationContext } from '../../contract/data.js';
import type { Clock, Log } from '../../contract/extension.js';
import { makeMigrationsTable, type RanMigration, ranMigrations, recordMigration } from './database-sql.js';
import type { Facade } from './facade.js';
import { failData } from './failures.js';

/** Database access for migrations. */
export interface MigrationTools {
  orm: () => Sequelize;
  db: Facade;
}

export interface MigratorOptions {
  db: Facade;
  /** Lends access without a time limit, because changing a large table takes longer than a request may. */
  lend: <T>(work: (tools: MigrationTools) => Promise<T>) => Promise<T>;
  clock: Clock;
  log: Log;
  lock: <T>(name: string, work: () => Promise<T>, timeout_ms: number) => Promise<T>;
}

/** Lock for schema changes. */
export const migrations_lock = 'migrations';
/** Time limit for the lock, because other instances may run many migrations first. */
const lock_ms = 120_000;

/** Runs the pending migrations of an owner (the kernel or an extension). */
export class Migrator {
  readonly #options: MigratorOptions;
  /** Names of the migrations that this process has found complete, by owner. */
  readonly #complete = new Map<string, string>();

  constructor(options: MigratorOptions) {
    this.#options = options;
  }

  /**
   * Migrates an owner. A start without pending migrations costs one query, a replacement none; umzug is loaded and the lock taken only
   * if a migration is pending.
   */
  async migrate(owner: string, migrations: readonly Migration[]): Promise<void> {
    const names = migrations.map(({ name }) => name).join();
    if (this.#complete.get(owner) === names) return;
    await this.#runIfPending(owner, migrations);
    this.#complete.set(owner, names);
  }

  async #runIfPending(owner: string, migrations: readonly Migration[]): Promise<void> {
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
      // Lazy, because most migrations are plain SQL and don't need Sequelize.
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
        // The migration's own transaction writes the row.
        logMigration: () => Promise.resolve(),
        unlogMigration: () => Promise.reject(new Error('Migrations cannot be undone')),
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

/** Fails with `schema_newer` if a newer program has migrated the database, because this one would damage it. */
export function checkKnown(owner: string, ran: readonly RanMigration[], migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = ran.findLast(({ name }) => !known.has(name));
  if (!unknown) return;
  const newest = migrations.at(-1)?.name ?? 'none';
  throw failData(
    'schema_newer',
    `The database belongs to a newer version of '${owner}': it has the migration ${unknown.name}, this program's last one is ${newest}; start the newer program`,
    { since: unknown.ran_at || undefined },
  );
}
