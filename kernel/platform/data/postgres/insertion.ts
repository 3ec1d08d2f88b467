import pg from 'pg';

/**
 * A statement that inserts rows into some columns of a table. Its one value is a JSON list of objects, in which the
 * database reads each value as its column's type takes it; a number that the database chooses otherwise is kept.
 */
export function insertion(table: string, columns: readonly string[]): string {
  const [into, names] = [pg.escapeIdentifier(table), columns.map((name) => pg.escapeIdentifier(name)).join(', ')];
  return `INSERT INTO ${into} (${names}) OVERRIDING SYSTEM VALUE SELECT ${names} FROM json_populate_recordset(NULL::${into}, $1::json)`;
}
