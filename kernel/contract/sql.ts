import type { Model, ModelStatic, WhereOptions } from 'sequelize';
import type { Database, SqlValue, StatementOptions } from './data.js';
import { Op } from './models.js';

type Dialect = Pick<Database, 'dialect'>;

/** SQL of a text column that is compared by code points. SQLite always does so; PostgreSQL would use the rules of a language. */
export function byCodePoint({ dialect }: Dialect, column: string): string {
  return dialect === 'postgres' ? `${column} COLLATE "C"` : column;
}

/** SQL of the current time by the database's clock, in ms since the epoch. It is the same for all instances, whose own clocks may differ. */
export function databaseNow({ dialect }: Dialect): string {
  if (dialect === 'postgres') return '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
  return "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";
}

/** Returns whether other processes may use the same database. With SQLite only one process can. */
export function isShared({ dialect }: Dialect): boolean {
  return dialect === 'postgres';
}

/**
 * SQL of the next number for a column that PostgreSQL numbers by default. `at`: index of the row in its statement, needed because SQLite
 * evaluates all rows of a statement before it stores the first.
 */
export function nextNumber({ dialect }: Dialect, { table, column, at }: { table: string; column: string; at: number }): string {
  return dialect === 'postgres' ? 'DEFAULT' : `(SELECT coalesce(max(${column}), 0) + ${1 + at} FROM ${table})`;
}

/** Returns the placeholders for a list of values: `$1, $2, $3`; for an empty list `NULL`, which matches nothing. */
export function placeholders(values: readonly unknown[], first = 1): string {
  return values.length === 0 ? 'NULL' : values.map((_value, index) => `$${first + index}`).join(', ');
}

/** Appends a row's values to those of the statement and returns the row's placeholders: `($4, $5, $6)`. */
export function tuple(values: SqlValue[], row: readonly SqlValue[]): string {
  return `(${row.map((value) => `$${values.push(value)}`).join()})`;
}

/** SQL at the end of a SELECT that claims rows: locks them and skips those that another transaction has locked. SQLite needs no lock. */
export function skipLocked({ dialect }: Dialect): string {
  return dialect === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : '';
}

/**
 * SQL for an UPDATE that must first lock the rows of another table with these ids, in a fixed order to avoid deadlocks: `before` precedes the
 * UPDATE, `locked` is a condition that waits for the locks. SQLite needs no lock.
 */
export function lockFirst({ dialect }: Dialect, table: string, ids: string): { before: string; locked: string } {
  if (dialect !== 'postgres') return { before: '', locked: 'true' };
  const before = `WITH held AS MATERIALIZED (SELECT id FROM ${table} WHERE id IN (${ids}) ORDER BY id FOR UPDATE)`;
  // The condition depends on no row, so it is evaluated once, before the first row.
  return { before, locked: '(SELECT count(*) FROM held) >= 0' };
}

/**
 * SQL of a condition that makes PostgreSQL look up rows by ids from JSON. Without it PostgreSQL estimates a hundred rows for any JSON and may
 * read the whole table. SQLite looks them up anyway.
 */
export function byIds({ dialect }: Dialect, column: string, ids: string): string {
  return dialect === 'postgres' ? `${column} = ANY (ARRAY(${ids}))` : 'true';
}

/**
 * Disables sorting for the current transaction, so that PostgreSQL reads rows in the order of an index. Otherwise it would sort a whole queue
 * for each batch, because its statistics miss rows that exist only for seconds.
 */
export async function orderByIndex(db: Database): Promise<void> {
  if (db.dialect === 'postgres') await db.run('SET LOCAL enable_sort = off');
}

/**
 * SQL for FROM: the rows `r` of one value, a JSON array of objects. For hundreds of rows this is many times faster on PostgreSQL than
 * thousands of single values.
 */
export function rowsOfJson({ dialect }: Dialect, columns: Readonly<Record<string, 'INTEGER' | 'BIGINT' | 'TEXT'>>, value = '$1'): string {
  const entries = Object.entries(columns);
  if (dialect === 'postgres')
    return `jsonb_to_recordset(${value}::jsonb) AS r(${entries.map(([name, type]) => `${name} ${type}`).join(', ')})`;
  return `(SELECT ${entries.map(([name]) => `value ->> '${name}' AS ${name}`).join(', ')} FROM json_each(${value})) AS r`;
}

/** SQL of a JSON text: an object with these columns of a table. */
export function asJson({ dialect }: Dialect, table: string, columns: readonly string[]): string {
  const entries = columns.map((column) => `'${column}', ${table}.${column}`).join();
  return `CAST(${dialect === 'postgres' ? 'json_build_object' : 'json_object'}(${entries}) AS TEXT)`;
}

/**
 * Takes the lock with this name until the end of the current transaction, waiting until no other transaction of the installation has it.
 * Nothing to do on SQLite, which runs writing transactions one at a time.
 */
export async function lockName(db: Database, name: string): Promise<void> {
  if (db.dialect === 'postgres') await db.rows('SELECT pg_advisory_xact_lock(hashtext($1))', [name]);
}

/** Returns a model's condition: a text column contains a text, literally. */
export function contains({ dialect, expressions: { fn, col, where } }: Database, column: string, text: string) {
  return where(fn(dialect === 'postgres' ? 'strpos' : 'instr', col(column), text), Op.gt, 0);
}

/** Returns a function that runs a prepared read; inside a transaction a plain read, which sees what the transaction has written. */
export function hotRead<Row extends object>(db: Database, sql: string, options?: Pick<StatementOptions, 'model'>) {
  const prepared = db.prepare<Row>(sql, options);
  return (...values: SqlValue[]): Promise<Row[]> => (db.inTransaction ? db.rows<Row>(sql, values, options) : prepared.all(...values));
}

/** Deletes a model's rows in batches, so that other writers can run in between. Returns the number of deleted rows. */
export async function deletePortions<M extends Model>(model: ModelStatic<M>, where: WhereOptions, portion = 500): Promise<number> {
  let deleted = 0;
  for (;;) {
    const rows = await model.destroy({ where, limit: portion });
    deleted += rows;
    if (rows < portion) return deleted;
  }
}
