import type { Database, SqlValue } from '../../../kernel/contract/index.js';

/** A read that is a prepared one on its own, and inside a transaction sees what that has written. */
export function read<Row extends object>(db: Database, sql: string): (...values: SqlValue[]) => Promise<Row[]> {
  const prepared = db.prepare<Row>(sql);
  return (...values) => (db.inTransaction ? db.rows<Row>(sql, values) : prepared.all(...values));
}

/** Writes one row. */
export async function insert(db: Database, table: string, row: object): Promise<void> {
  const { sql, values } = insertion(table, row);
  await db.run(sql, values);
}

/** Writes one row and gives the id that the database chose for it. */
export async function insertNumbered(db: Database, table: string, row: object): Promise<number> {
  const { sql, values } = insertion(table, row);
  const [made] = await db.rows<{ id: number }>(`${sql} RETURNING id`, values);
  if (!made) throw new Error(`The insertion into ${table} gave no id`);
  return made.id;
}

interface Sweep {
  table: string;
  /** Its primary key. */
  key: string;
  /** A condition on `$1`. */
  where: string;
}

/** Deletes what a condition meets in portions, so that other writers get their turn in between. Gives how many rows. */
export async function sweep(db: Database, from: Sweep, value: SqlValue): Promise<number> {
  const portion = 500;
  const { table, key, where } = from;
  const sql = `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${portion})`;
  let removed = 0;
  for (;;) {
    const rows = await db.run(sql, [value]);
    removed += rows;
    if (rows < portion) return removed;
  }
}

/** `$1, $2, $3` */
export function placeholders(count: number, first = 1): string {
  return Array.from({ length: count }, (_, index) => `$${index + first}`).join(', ');
}

function insertion(table: string, row: object): { sql: string; values: SqlValue[] } {
  const columns = Object.keys(row);
  return {
    sql: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${placeholders(columns.length)})`,
    values: Object.values(row) as SqlValue[],
  };
}
