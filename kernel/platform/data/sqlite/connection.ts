import type sqlite3 from 'sqlite3';
import type { Database, RunResult } from 'sqlite3';
import type { SqlValue } from '../../../contract/data.js';
import type { Connection, ParseRows } from '../driver.js';
import { staysPrepared, toBindings, toSqlite } from './sql.js';
import { Statements } from './statements.js';

/** An open SQLite file. Statements stay prepared, because preparing takes longer than running most of them. */
export class SqliteConnection implements Connection {
  readonly native: Database;
  readonly #statements: Statements;

  constructor(native: Database) {
    this.native = native;
    this.#statements = new Statements(native);
  }

  rows<Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    if (staysPrepared(sql)) return this.#statements.all<Row>(sql, values);
    return new Promise((resolve, reject) => {
      this.native.all<Row>(toSqlite(sql), toBindings(values), (error, rows) => (error ? reject(error) : resolve(rows)));
    });
  }

  run(sql: string, values: readonly SqlValue[]): Promise<number> {
    if (staysPrepared(sql)) return this.#statements.run(sql, values);
    return new Promise((resolve, reject) => {
      this.native.run(toSqlite(sql), toBindings(values), function done(this: RunResult, error: Error | null) {
        if (error) reject(error);
        else resolve(this.changes);
      });
    });
  }

  /** Disables `serialize`, by which Sequelize would block the connection for its other users. */
  lend(parse: ParseRows): object {
    type Done = (this: unknown, error: Error | null, rows?: object[]) => void;
    const { native } = this;
    return {
      serialize: (work: () => void) => work(),
      run: native.run.bind(native),
      all: (sql: string, values: unknown, done: Done) =>
        native.all<object>(sql, values, function read(error, rows) {
          done.call(this, error, rows && parse(rows));
        }),
    };
  }

  /** Runs a script of several statements without values. */
  script(sql: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.native.exec(sql, (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    await this.#statements.close();
    return new Promise((resolve, reject) => {
      this.native.close((error) => (error ? reject(error) : resolve()));
    });
  }
}

/** The sqlite3 package, loaded only in this folder. */
export type Engine = typeof sqlite3;

/** Opens a file with the given mode of sqlite3's (`OPEN_READONLY` and so on). */
export function openSqlite(engine: Engine, file: string, mode: number): Promise<SqliteConnection> {
  return new Promise((resolve, reject) => {
    const native = new engine.Database(file, mode, (error) => (error ? reject(error) : resolve(new SqliteConnection(native))));
  });
}
