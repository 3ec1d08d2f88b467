import pg from 'pg';

/**
 * Returns a statement that inserts rows into some columns of a table. Its only parameter is a JSON list of objects; the database converts
 * each value to its column's type. Values of identity columns are kept.
 */
export function insertion(table: string, columns: readonly string[]): string {
  const [into, names] = [pg.escapeIdentifier(table), columns.map((name) => pg.escapeIdentifier(name)).join(', ')];
  return `INSERT INTO ${into} (${names}) OVERRIDING SYSTEM VALUE SELECT ${names} FROM json_populate_recordset(NULL::${into}, $1::json)`;
}
