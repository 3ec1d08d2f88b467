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

const portion = 500;

/** Deletes a model's rows in portions, so that other writers get their turn in between. Gives how many. */
export async function deletePortions<M extends Model>(model: ModelStatic<M>, where: WhereOptions): Promise<number> {
  let deleted = 0;
  for (;;) {
    const rows = await model.destroy({ where, limit: portion });
    deleted += rows;
    if (rows < portion) return deleted;
  }
}
