import type { Sequelize } from 'sequelize';
import type { Migration, MigrationContext, SqlValue } from '../../contract/data.js';
import type { Clock, Log } from '../../contract/extension.js';
import { Facade } from '../data/facade.js';
import { Migrator, migrations_lock } from '../data/migrate.js';
import { createOrm, type Orm } from '../data/orm.js';
import { openPostgresDriver } from '../data/postgres/driver.js';
import { Transactions } from '../data/transactions.js';
import { failMove } from './codes.js';
import { type Column, fromPostgres, kindOf, quoted, read, type Value } from './column.js';
import type { Table } from './table.js';

export interface TargetOptions {
  url: string;
  clock: Clock;
  log: Log;
}

const day_ms = 24 * 3_600_000;
/** One that sorts a table of millions may take minutes. */
const statement_ms = 1_800_000;
const lock_ms = 10_000;
/** Rows are fetched in batches to limit memory. */
const batch_rows = 100;

/** The table of the blobs' bytes on PostgreSQL; on SQLite they are files. */
export const chunks_table = 'kernel_blob_chunks';

const schema_oid = '(SELECT oid FROM pg_namespace WHERE nspname = current_schema())';

/**
 * An empty PostgreSQL database that is filled in one transaction: others see all of it or nothing, however the
 * work ends. An instance that starts there meanwhile waits, as it does for migrations. Its statements are text: they read the system
 * catalogs, and tables of any extension by their names.
 */
export class Target {
  readonly #db: Facade;
  readonly #migrator: Migrator;
  readonly #orm: () => Sequelize;

  /** Takes at most a day. Errors come out as the database or the data layer made them. */
  static async fill<T>({ url, clock, log }: TargetOptions, work: (target: Target) => Promise<T>): Promise<T> {
    const driver = openPostgresDriver({ url, connections: 1, log, statement_ms });
    const transactions = new Transactions({ driver, log, timeout_ms: day_ms });
    let loaded: Orm | undefined;
    const load = () => (loaded ??= createOrm(driver, transactions));
    const db = new Facade('kernel', { driver, transactions, orm: load });
    const orm = () => load().sequelize;
    // This transaction already has the lock.
    const migrator = new Migrator({ db, lend: (run) => run({ orm, db }), clock, log, lock: (_name, run) => run() });
    const fillAll = async () => {
      // SQLite may sort for minutes before its first row comes.
      await db.run('SET LOCAL idle_in_transaction_session_timeout = 0');
      return work(new Target(db, migrator, orm));
    };
    try {
      return await driver.lock(migrations_lock, () => transactions.run(fillAll), lock_ms);
    } finally {
      await driver.close();
    }
  }

  private constructor(db: Facade, migrator: Migrator, orm: () => Sequelize) {
    this.#db = db;
    this.#migrator = migrator;
    this.#orm = orm;
  }

  rows<Row extends object>(sql: string, values: readonly SqlValue[] = []): Promise<Row[]> {
    return this.#db.rows<Row>(sql, values);
  }

  run(sql: string, values: readonly SqlValue[] = []): Promise<number> {
    return this.#db.run(sql, values);
  }

  /** Fails with `move_target_not_empty`, and with `move_target_invalid` if it can't store every character, as the system catalog says. */
  async assertEmpty(): Promise<void> {
    const [existing] = await this.rows<{ name: string }>(`SELECT relname AS name FROM pg_class WHERE relnamespace = ${schema_oid} LIMIT 1`);
    if (existing)
      throw failMove('move_target_not_empty', `The database is not empty: it has '${existing.name}'`, {
        fix: 'name an empty one, created by: createdb <name>; one that an earlier move has filled is complete: serve it with PLATFORM_DATABASE_URL',
      });
    const [{ encoding } = { encoding: '' }] = await this.rows<{ encoding: string }>('SELECT getdatabaseencoding() AS encoding');
    if (encoding !== 'UTF8')
      throw failMove('move_target_invalid', `The database's encoding is ${encoding}, and UTF8 is needed`, {
        fix: 'create one with: createdb --encoding UTF8 --template template0 <name>',
      });
  }

  /** Makes the tables of an owner. What its migrations have written there by themselves is removed by {@link clear}. */
  migrate(owner: string, migrations: readonly Migration[]): Promise<void> {
    return this.#migrator.migrate(owner, migrations);
  }

  async moved(migrations: readonly Migration[]): Promise<void> {
    const orm = this.#orm;
    const context: MigrationContext = {
      dialect: 'postgres',
      get schema() {
        return orm().getQueryInterface();
      },
      run: async (sql) => void (await this.run(sql)),
    };
    for (const { moved } of migrations) await moved?.(context);
  }

  /** Its tables with all columns but those that it computes. Fails with `move_tables_differ` for a type that SQLite has nothing like. */
  async tables(names: ReadonlySet<string>): Promise<Table[]> {
    const tables = new Map<string, { columns: Column[]; key: Column[] }>();
    for (const { table, name, type, key_position } of await this.rows<ColumnRow>(columnsOf)) {
      if (!names.has(table)) continue;
      const kind = kindOf(type);
      if (!kind) throw failMove('move_tables_differ', `The column '${name}' of '${table}' has the type ${type}, which is not moved`);
      const { columns, key } = tables.get(table) ?? { columns: [], key: [] };
      const column = { name, type, kind };
      columns.push(column);
      if (key_position !== null) key[key_position] = column;
      tables.set(table, { columns, key });
    }
    return [...tables].map(([name, { columns, key }]) => ({ name, columns, key: key.length > 0 ? key : columns }));
  }

  /** The names of its tables, from the system catalog. */
  async names(): Promise<string[]> {
    const sql = `SELECT relname AS name FROM pg_class WHERE relnamespace = ${schema_oid} AND relkind = 'r' ORDER BY relname`;
    return (await this.rows<{ name: string }>(sql)).map(({ name }) => name);
  }

  /** Its foreign keys, from the system catalog. */
  references(): Promise<{ table: string; to: string }[]> {
    return this.rows(`SELECT c.relname AS "table", f.relname AS "to" FROM pg_constraint n
      JOIN pg_class c ON c.oid = n.conrelid JOIN pg_class f ON f.oid = n.confrelid WHERE c.relnamespace = ${schema_oid} AND n.contype = 'f'`);
  }

  /** Returns the SHA-256 of a blob's stored bytes, computed by the database so that they needn't be transferred. */
  async blobHash(hex: string): Promise<string | undefined> {
    const sql = `SELECT encode(sha256(coalesce(string_agg(content, ''::bytea ORDER BY number), ''::bytea)), 'hex') AS sha256
      FROM ${chunks_table} WHERE hash = $1`;
    return (await this.rows<{ sha256: string }>(sql, [hex]))[0]?.sha256;
  }

  /** Empties tables that refer to each other in one statement, which models would do one by one. */
  async clear(tables: readonly string[]): Promise<void> {
    await this.run(`TRUNCATE ${tables.map(quoted).join(', ')}`);
  }

  /** The rows of a table in the order of its key: that of bytes, as SQLite's is. Read by a cursor, so that only a batch is in memory. */
  async *read({ name, columns, key }: Table): AsyncGenerator<Value[]> {
    const selected = columns.map((column, index) => `${read(column)} AS c${index}`).join(', ');
    const order = key.map((column) => `${quoted(column.name)}${column.kind === 'text' ? ' COLLATE "C"' : ''} NULLS FIRST`).join(', ');
    await this.run(`DECLARE moved NO SCROLL CURSOR FOR SELECT ${selected} FROM ${quoted(name)} ORDER BY ${order}`);
    for (;;) {
      const rows = await this.rows<Record<string, string | null>>(`FETCH ${batch_rows} FROM moved`);
      for (const row of rows) yield columns.map((column, index) => fromPostgres(row[`c${index}`] ?? null, column));
      if (rows.length < batch_rows) break;
    }
    await this.run('CLOSE moved');
  }

  /** Sets the sequences, which the system catalog names, to continue after the last number that was chosen before. */
  async setSequences(positionOf: (table: string) => Promise<string>): Promise<void> {
    for (const { table, column, sequence } of await this.rows<SequenceRow>(sequences)) {
      const last = `SELECT greatest($2::bigint, max(${quoted(column)})) AS last FROM ${quoted(table)}`;
      await this.rows(`SELECT setval($1::regclass, greatest(last, 1), last > 0) FROM (${last}) l`, [sequence, await positionOf(table)]);
    }
  }
}

interface ColumnRow {
  table: string;
  name: string;
  type: string;
  /** Index in the primary key. */
  key_position: number | null;
}

/** The system catalog's columns of all tables. */
const columnsOf = `
  SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, array_position(i.indkey::int2[], a.attnum) AS key_position
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
  WHERE c.relnamespace = ${schema_oid} AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  ORDER BY c.relname, a.attnum`;

interface SequenceRow {
  table: string;
  column: string;
  sequence: string;
}

/** The system catalog's sequences, and the columns that they number. */
const sequences = `
  SELECT t.relname AS "table", a.attname AS "column", s.oid::regclass::text AS sequence
  FROM pg_depend p JOIN pg_class s ON s.oid = p.objid AND s.relkind = 'S' JOIN pg_class t ON t.oid = p.refobjid
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = p.refobjsubid
  WHERE p.classid = 'pg_class'::regclass AND p.deptype IN ('a', 'i') AND t.relnamespace = ${schema_oid} ORDER BY t.relname`;
