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

/** Whether a run waits for the end of another. */
export function isWaiting(run: string): string {
  return `${isOpen(run)} AND ${run}.status = 'queued' AND ${run}.ready_at IS NULL`;
}
