import type { Database, RunResult, Statement } from 'sqlite3';
import type { SqlValue } from '../../contract/data.js';
import { toBindings, toSqlite } from './sql.js';

/** How many statements are kept ready. */
const most = 500;

/** Statements kept ready on a connection, by their text, the least recently used dropped first. */
export class Statements {
  readonly #native: Database;
  readonly #ready = new Map<string, Promise<Statement>>();

  constructor(native: Database) {
    this.#native = native;
  }

  /**
   * Always reads to the end: a statement left in the middle (as the driver's `get` leaves it) keeps its
   * snapshot, and the next one would read the past.
   */
  async all<Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    const statement = await this.#get(sql);
    return new Promise((resolve, reject) => {
      statement.all<Row>(toBindings(values), (error: Error | null, rows: Row[]) => (error ? reject(error) : resolve(rows)));
    });
  }

  async run(sql: string, values: readonly SqlValue[]): Promise<number> {
    const statement = await this.#get(sql);
    return new Promise((resolve, reject) => {
      statement.run(toBindings(values), function done(this: RunResult, error: Error | null) {
        if (error) reject(error);
        else resolve(this.changes);
      });
    });
  }

  async close(): Promise<void> {
    const all = [...this.#ready.values()];
    this.#ready.clear();
    await Promise.all(all.map((ready) => ready.then(finalize, () => undefined)));
  }

  #get(sql: string): Promise<Statement> {
    const ready = this.#ready.get(sql) ?? this.#prepare(sql);
    this.#ready.delete(sql);
    this.#ready.set(sql, ready);
    const [oldest] = this.#ready;
    if (this.#ready.size > most && oldest) {
      this.#ready.delete(oldest[0]);
      oldest[1].then(finalize, () => undefined);
    }
    return ready;
  }

  #prepare(sql: string): Promise<Statement> {
    const ready = new Promise<Statement>((resolve, reject) => {
      const statement = this.#native.prepare(toSqlite(sql), (error: Error | null) => (error ? reject(error) : resolve(statement)));
    });
    ready.catch(() => this.#ready.delete(sql));
    return ready;
  }
}

function finalize(statement: Statement): Promise<void> {
  return new Promise((resolve) => {
    statement.finalize(() => resolve());
  });
}
