import type { Model, ModelStatic, WhereOptions } from 'sequelize';
import type { Database, SqlValue, StatementOptions } from './data.js';
import { Op } from './models.js';

type Dialect = Pick<Database, 'dialect'>;

/** Compares a column of text by code points, as SQLite does by itself. PostgreSQL would use the rules of some language. */
export function byCodePoint({ dialect }: Dialect, column: string): string {
  return dialect === 'postgres' ? `${column} COLLATE "C"` : column;
}

/** SQL of the time by the database's clock, in ms since the epoch: instances' clocks needn't agree. */
export function databaseNow({ dialect }: Dialect): string {
  if (dialect === 'postgres') return '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
  return "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";
}

/** Whether other processes may use the same database. One with SQLite lets no other in. */
export function isShared({ dialect }: Dialect): boolean {
  return dialect === 'postgres';
}

/**
 * SQL of the next number for a column that PostgreSQL fills by its default. `at` is the row's place among those of the statement: SQLite
 * evaluates all rows before it stores the first.
 */
export function nextNumber({ dialect }: Dialect, { table, column, at }: { table: string; column: string; at: number }): string {
  return dialect === 'postgres' ? 'DEFAULT' : `(SELECT coalesce(max(${column}), 0) + ${1 + at} FROM ${table})`;
}

/** Placeholders of a list of values: `$1, $2, $3`. An empty list gives one that matches nothing. */
export function placeholders(values: readonly unknown[], first = 1): string {
  return values.length === 0 ? 'NULL' : values.map((_value, index) => `$${first + index}`).join(', ');
}

/** Placeholders of one row in a list of rows, `($4, $5, $6)`. Adds the row's values to those of the statement. */
export function tuple(values: SqlValue[], row: readonly SqlValue[]): string {
  return `(${row.map((value) => `$${values.push(value)}`).join()})`;
}

/** Ends a SELECT that claims rows: it locks them, past those that another transaction has locked. SQLite needs no lock. */
export function skipLocked({ dialect }: Dialect): string {
  return dialect === 'postgres' ? 'FOR UPDATE SKIP LOCKED' : '';
}

/**
 * For an UPDATE that must first lock rows of another table, those with these ids, always in the same order: what stands before it, and
 * the condition by which it waits. SQLite needs no lock.
 */
export function lockFirst({ dialect }: Dialect, table: string, ids: string): { before: string; locked: string } {
  if (dialect !== 'postgres') return { before: '', locked: 'true' };
  const before = `WITH held AS MATERIALIZED (SELECT id FROM ${table} WHERE id IN (${ids}) ORDER BY id FOR UPDATE)`;
  // Depends on no row, so it is evaluated once, before the first of them.
  return { before, locked: '(SELECT count(*) FROM held) >= 0' };
}

/**
 * A condition that has PostgreSQL look rows up by their ids where these come from JSON: it expects a hundred rows of any JSON, and would
 * rather read the whole table. SQLite looks them up anyway.
 */
export function byIds({ dialect }: Dialect, column: string, ids: string): string {
  return dialect === 'postgres' ? `${column} = ANY (ARRAY(${ids}))` : 'true';
}

/**
 * For the transaction that runs here: what is read in an index's order is not sorted. PostgreSQL would sort a whole queue for each
 * portion of it, because its statistics do not know rows that come and go within seconds.
 */
export async function orderByIndex(db: Database): Promise<void> {
  if (db.dialect === 'postgres') await db.run('SET LOCAL enable_sort = off');
}

/**
 * Rows `r` for the FROM of a statement, out of one value, a JSON array of objects. PostgreSQL takes hundreds of rows in thousands
 * of values many times as long.
 */
export function rowsOfJson({ dialect }: Dialect, columns: Readonly<Record<string, 'INTEGER' | 'BIGINT' | 'TEXT'>>, value = '$1'): string {
  const entries = Object.entries(columns);
  if (dialect === 'postgres')
    return `jsonb_to_recordset(${value}::jsonb) AS r(${entries.map(([name, type]) => `${name} ${type}`).join(', ')})`;
  return `(SELECT ${entries.map(([name]) => `value ->> '${name}' AS ${name}`).join(', ')} FROM json_each(${value})) AS r`;
}

/** A column of JSON text: an object of these columns of a table. */
export function asJson({ dialect }: Dialect, table: string, columns: readonly string[]): string {
  const entries = columns.map((column) => `'${column}', ${table}.${column}`).join();
  return `CAST(${dialect === 'postgres' ? 'json_build_object' : 'json_object'}(${entries}) AS TEXT)`;
}

/**
 * Waits, inside a transaction, until no other transaction of the installation holds this name, and holds it until the end.
 * SQLite runs writing transactions one at a time anyway.
 */
export async function lockName(db: Database, name: string): Promise<void> {
  if (db.dialect === 'postgres') await db.rows('SELECT pg_advisory_xact_lock(hashtext($1))', [name]);
}

/** A model's condition: a column of text contains some other text, of which no character has a special meaning. */
export function contains({ dialect, expressions: { fn, col, where } }: Database, column: string, text: string) {
  return where(fn(dialect === 'postgres' ? 'strpos' : 'instr', col(column), text), Op.gt, 0);
}

/** A prepared read; inside a transaction a plain one, which sees what the transaction has written. */
export function hotRead<Row extends object>(db: Database, sql: string, options?: Pick<StatementOptions, 'model'>) {
  const prepared = db.prepare<Row>(sql, options);
  return (...values: SqlValue[]): Promise<Row[]> => (db.inTransaction ? db.rows<Row>(sql, values, options) : prepared.all(...values));
}

/** Deletes a model's rows in portions, so that other writers get their turn in between. Gives how many. */
export async function deletePortions<M extends Model>(model: ModelStatic<M>, where: WhereOptions, portion = 500): Promise<number> {
  let deleted = 0;
  for (;;) {
    const rows = await model.destroy({ where, limit: portion });
    deleted += rows;
    if (rows < portion) return deleted;
  }
}
