import sqlite3, { type Statement } from 'sqlite3';
import type { SqlValue } from '../../contract/data.js';
import type { SqliteConnection } from '../data/sqlite/connection.js';
import { inspect, openUntouched, sizeOf } from '../data/sqlite/inspect.js';
import { failMove } from './codes.js';
import { quoted, readSqlite } from './column.js';
import type { Table } from './table.js';

/**
 * A SQLite file that is read as it was when it was opened, and that nothing is written to. Models do not reach its connection, and its
 * tables are named by the system catalog.
 */
export class Source {
  readonly #connection: SqliteConnection;

  /** Fails with `move_source_missing` and `database_corrupt`. Whoever opens it has the lock of the data folder. */
  static async open(file: string): Promise<Source> {
    if ((await sizeOf(file)) === 0) throw failMove('move_source_missing', `There is no SQLite database ${file} to move`);
    await inspect(sqlite3, file, async () => undefined);
    const connection = await openUntouched(sqlite3, file);
    try {
      await connection.run('BEGIN', []);
      return new Source(connection);
    } catch (fault) {
      await connection.close();
      throw fault;
    }
  }

  private constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  rows<Row extends object>(sql: string, values: readonly SqlValue[] = []): Promise<Row[]> {
    return this.#connection.rows<Row>(sql, values);
  }

  /** The names of its columns by table, from the system catalog. Tables behind a search index are its own affair. */
  async tables(): Promise<Map<string, string[]>> {
    const rows = await this.rows<{ name: string; column: string }>(
      `SELECT t.name, c.name AS "column" FROM pragma_table_list t, pragma_table_info(t.name) c
       WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY t.name, c.cid`,
    );
    const tables = new Map<string, string[]>();
    for (const { name, column } of rows) tables.set(name, [...(tables.get(name) ?? []), column]);
    return tables;
  }

  /** The names of its virtual tables, whose rows are not copied, from the system catalog. */
  async indexes(): Promise<string[]> {
    return (await this.rows<{ name: string }>("SELECT name FROM pragma_table_list WHERE type = 'virtual'")).map(({ name }) => name);
  }

  /** The platform's own extensions of which an installed version runs, and its bundle's hash. Read without models, as all of this file. */
  ownBundles(): Promise<{ id: string; hash: string }[]> {
    return this.rows("SELECT id, hash FROM kernel_extensions WHERE blob = '' AND hash <> ''");
  }

  /** Returns the last number that it chose for a row of a table, in digits, from its catalog; '0' if it has chosen none. */
  async position(table: string): Promise<string> {
    const [row] = await this.rows<{ seq: string }>('SELECT CAST(seq AS TEXT) AS seq FROM sqlite_sequence WHERE name = $1', [table]);
    return row?.seq ?? '0';
  }

  /** Counts the rows of a table of any extension, which no model of this program need know. */
  async count(table: string): Promise<number> {
    const [row] = await this.rows<{ rows: number }>(`SELECT count(*) AS rows FROM ${quoted(table)}`);
    return row?.rows ?? 0;
  }

  /**
   * Reads the rows of a table in the order of its key, as the driver returns them. Only one is in memory at a time, however large they are;
   * a model would read all.
   */
  async *read({ name, columns, key }: Table): AsyncGenerator<unknown[]> {
    const selected = columns.map((column, index) => `${readSqlite(column)} AS c${index}`).join(', ');
    const order = key.map((column) => quoted(column.name)).join(', ');
    const statement = await this.#prepare(`SELECT ${selected} FROM ${quoted(name)} ORDER BY ${order}`);
    try {
      for (let row = await step(statement); row !== undefined; row = await step(statement)) yield Object.values(row);
    } finally {
      await new Promise<void>((resolve) => statement.finalize(() => resolve()));
    }
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #prepare(sql: string): Promise<Statement> {
    return new Promise((resolve, reject) => {
      const statement = this.#connection.native.prepare(sql, (error: Error | null) => (error ? reject(error) : resolve(statement)));
    });
  }
}

/** Without values, each call gives the next row. */
function step(statement: Statement): Promise<object | undefined> {
  return new Promise((resolve, reject) => {
    statement.get<object>((error: Error | null, row?: object) => (error ? reject(error) : resolve(row)));
  });
}
