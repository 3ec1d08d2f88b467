import type { Database, SqlValue } from '../../contract/data.js';

/** Anything that runs reading statements, such as a snapshot or a separate connection. */
interface Reader {
  rows<Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]>;
}

/** A migration that has run. */
export interface RanMigration {
  name: string;
  /** ISO 8601, if known. */
  ran_at?: string;
}

/** Fails if the database does not answer. Used by `/readyz`, even before tables exist. */
export async function ping(db: Database): Promise<void> {
  await db.rows('SELECT 1');
}

/** Creates the table of migrations, which no migration can create. */
export async function makeMigrationsTable(db: Database): Promise<void> {
  await db.run(`CREATE TABLE IF NOT EXISTS kernel_migrations (
    owner VARCHAR(64) NOT NULL, name VARCHAR(128) NOT NULL, ran_at VARCHAR(32) NOT NULL, PRIMARY KEY (owner, name))`);
}

const tableExists = {
  sqlite: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'kernel_migrations'",
  postgres: "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'kernel_migrations'",
};

/** Reads the migrations of an owner that have run. Checks the system catalog first, because a new database lacks the table. */
export async function ranMigrations(reader: Reader, dialect: 'sqlite' | 'postgres', owner: string): Promise<RanMigration[]> {
  if ((await reader.rows(tableExists[dialect], [])).length === 0) return [];
  // Plain SQL, because Sequelize is not loaded yet.
  return reader.rows<RanMigration>('SELECT name, ran_at FROM kernel_migrations WHERE owner = $1 ORDER BY name', [owner]);
}

/** Reads the migrations that have run in another database or in a snapshot, which models can't read. */
export async function allMigrations(reader: Reader): Promise<Map<string, RanMigration[]>> {
  const found = new Map<string, RanMigration[]>();
  const sql = 'SELECT owner, name, ran_at FROM kernel_migrations ORDER BY owner, name';
  for (const { owner, ...migration } of await reader.rows<RanMigration & { owner: string }>(sql, []))
    found.set(owner, [...(found.get(owner) ?? []), migration]);
  return found;
}

/** Records a migration within its own transaction. Plain SQL, because Sequelize may not be loaded. */
export async function recordMigration(
  db: Database,
  { owner, name, ran_at }: { owner: string; name: string; ran_at: string },
): Promise<void> {
  await db.run('INSERT INTO kernel_migrations (owner, name, ran_at) VALUES ($1, $2, $3)', [owner, name, ran_at]);
}
