import type sqlite3 from 'sqlite3';
import type { Database, RunResult, Statement } from 'sqlite3';
import type { SqlValue } from '../../contract/data.js';
import type { Connection } from '../driver.js';

const quoted = /'(?:[^']|'')*'|"(?:[^"]|"")*"/;
const placeholder = /\$(\d+)/;
/** At the end of a statement or of a subquery. */
const row_lock = /\s+for\s+(?:no\s+key\s+)?(?:update|share)(?:\s+of\s+\w+)?(?:\s+(?:skip\s+locked|nowait))?(?=\s*(?:\)|;?\s*$))/;
const foreign = new RegExp(`${quoted.source}|${placeholder.source}|${row_lock.source}`, 'gi');

/** A statement as SQLite takes it: numbered placeholders, and no row locks, since transactions run one at a time. */
function toSqlite(sql: string): string {
  return sql.replace(foreign, (found: string, number: string | undefined) => {
    if (number) return `?${number}`;
    return /^\s/.test(found) ? '' : found;
  });
}

/** The driver takes bytes only as a `Buffer`. */
export function toBindings(values: readonly SqlValue[]): unknown[] {
  return values.map((value) => (value instanceof Uint8Array && !Buffer.isBuffer(value) ? Buffer.from(value) : value));
}

/** One open SQLite file. */
export class SqliteConnection implements Connection {
  readonly native: Database;

  constructor(native: Database) {
    this.native = native;
  }

  rows<Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.native.all<Row>(toSqlite(sql), toBindings(values), (error, rows) => (error ? reject(error) : resolve(rows)));
    });
  }

  run(sql: string, values: readonly SqlValue[]): Promise<number> {
    return new Promise((resolve, reject) => {
      this.native.run(toSqlite(sql), toBindings(values), function done(this: RunResult, error: Error | null) {
        if (error) reject(error);
        else resolve(this.changes);
      });
    });
  }

  /** Runs a script of several statements without values. */
  script(sql: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.native.exec(sql, (error) => (error ? reject(error) : resolve()));
    });
  }

  prepare(sql: string): Promise<Statement> {
    return new Promise((resolve, reject) => {
      const statement = this.native.prepare(toSqlite(sql), (error: Error | null) => (error ? reject(error) : resolve(statement)));
    });
  }

  close(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.native.close((error) => (error ? reject(error) : resolve()));
    });
  }
}

/** The package; only this folder loads it. */
export type Engine = typeof sqlite3;

/** Opens a file with the given mode of sqlite3's (`OPEN_READONLY` and so on). */
export function openSqlite(engine: Engine, file: string, mode: number): Promise<SqliteConnection> {
  return new Promise((resolve, reject) => {
    const native = new engine.Database(file, mode, (error) => (error ? reject(error) : resolve(new SqliteConnection(native))));
  });
}
