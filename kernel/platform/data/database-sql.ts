import type { Database, SqlValue } from '../../contract/data.js';

/** Whatever reads statements: also a snapshot, or a connection of its own. */
interface Reader {
  rows<Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]>;
}

/** A migration that a database has had. */
export interface RanMigration {
  name: string;
  /** ISO 8601, where it is known. */
  ran_at?: string;
}

/** Fails if the database does not answer. Asked by `/readyz`, also before there are tables. */
export async function ping(db: Database): Promise<void> {
  await db.rows('SELECT 1');
}

/** Makes the table of the migrations, which no migration can make. */
export async function makeMigrationsTable(db: Database): Promise<void> {
  await db.run(`CREATE TABLE IF NOT EXISTS kernel_migrations (
    owner VARCHAR(64) NOT NULL, name VARCHAR(128) NOT NULL, ran_at VARCHAR(32) NOT NULL, PRIMARY KEY (owner, name))`);
}

const tableExists = {
  sqlite: "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'kernel_migrations'",
  postgres: "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'kernel_migrations'",
};

/** Reads which migrations of an owner have run. A database without the table is new, which only the system catalog tells. */
export async function ranMigrations(reader: Reader, dialect: 'sqlite' | 'postgres', owner: string): Promise<RanMigration[]> {
  if ((await reader.rows(tableExists[dialect], [])).length === 0) return [];
  // Before Sequelize is loaded, on a connection that models do not reach.
  return reader.rows<RanMigration>('SELECT name, ran_at FROM kernel_migrations WHERE owner = $1 ORDER BY name', [owner]);
}

/** Reads which migrations have run in another database or a snapshot of this one, which models do not reach. */
export async function allMigrations(reader: Reader): Promise<Map<string, RanMigration[]>> {
  const found = new Map<string, RanMigration[]>();
  const sql = 'SELECT owner, name, ran_at FROM kernel_migrations ORDER BY owner, name';
  for (const { owner, ...migration } of await reader.rows<RanMigration & { owner: string }>(sql, []))
    found.set(owner, [...(found.get(owner) ?? []), migration]);
  return found;
}

/** Records a migration in the transaction that it runs in, whether or not Sequelize is loaded. */
export async function recordMigration(
  db: Database,
  { owner, name, ran_at }: { owner: string; name: string; ran_at: string },
): Promise<void> {
  await db.run('INSERT INTO kernel_migrations (owner, name, ran_at) VALUES ($1, $2, $3)', [owner, name, ran_at]);
}
