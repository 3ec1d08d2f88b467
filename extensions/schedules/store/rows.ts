import type { Database } from '../../../kernel/contract/index.js';

/** The placeholders of a list of values: `$1, $2, $3`. An empty list gives one that matches nothing. */
export function places(values: readonly unknown[], first = 1): string {
  return values.length === 0 ? 'NULL' : values.map((_value, index) => `$${first + index}`).join(', ');
}

/** The columns of rows that a statement is given, and what they hold. */
export type Columns = Readonly<Record<string, 'INTEGER' | 'BIGINT' | 'TEXT'>>;

/**
 * What a statement reads rows from that it is given as JSON, an array of objects in one value: `r`, with these columns.
 * PostgreSQL takes hundreds of rows in thousands of values many times as long.
 */
export function given(dialect: 'sqlite' | 'postgres', columns: Columns, place = '$1'): string {
  const entries = Object.entries(columns);
  if (dialect === 'postgres')
    return `jsonb_to_recordset(${place}::jsonb) AS r(${entries.map(([name, type]) => `${name} ${type}`).join(', ')})`;
  return `(SELECT ${entries.map(([name]) => `value ->> '${name}' AS ${name}`).join(', ')} FROM json_each(${place})) AS r`;
}

/** Whether a run waits or is under way. SQLite takes the index of these only where the condition is word for word the index's own. */
export function isOpen(run = 'schedules_runs'): string {
  return `${run}.status IN ('queued', 'running')`;
}

/** Whether a run waits for the end of another: as long as it is open, only such a one has no time from which on it may start. */
export function isWaiting(run: string): string {
  return `${isOpen(run)} AND ${run}.ready_at IS NULL`;
}

/**
 * The text of a column as no index has it. What is open is open for seconds: statistics say that there is next to none, and by its
 * indexes all of it would be read for each statement, where ten thousand come due at once.
 */
export function unindexed(column: string): string {
  return `${column} || ''`;
}

/**
 * What is read in order, for the transaction that runs here, is read by an index that has this order. PostgreSQL would sort all
 * that waits for each portion of it, for the same reason.
 */
export async function inOrder(db: Database): Promise<void> {
  if (db.dialect === 'postgres') await db.run('SET LOCAL enable_sort = off');
}
