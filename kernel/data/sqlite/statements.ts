import type { Statement } from 'sqlite3';
import type { SqlValue } from '../../contract/data.js';
import { type SqliteConnection, toBindings } from './connection.js';

/** How many statements are kept ready. */
const most = 500;

/** Statements kept ready on a reading connection, by their text, the least recently made dropped first. */
export class Statements {
  readonly #connection: SqliteConnection;
  readonly #ready = new Map<string, Promise<Statement>>();

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /**
   * Always reads to the end: a statement left in the middle (as the driver's `get` leaves it) keeps its
   * snapshot, and the next one would read the past.
   */
  async all<Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    const statement = await (this.#ready.get(sql) ?? this.#prepare(sql));
    return new Promise((resolve, reject) => {
      statement.all<Row>(toBindings(values), (error: Error | null, rows: Row[]) => (error ? reject(error) : resolve(rows)));
    });
  }

  async close(): Promise<void> {
    const all = [...this.#ready.values()];
    this.#ready.clear();
    await Promise.all(all.map((ready) => ready.then(finalize)));
  }

  #prepare(sql: string): Promise<Statement> {
    const ready = this.#connection.prepare(sql);
    this.#ready.set(sql, ready);
    ready.catch(() => this.#ready.delete(sql));
    const [oldest] = this.#ready;
    if (this.#ready.size > most && oldest) {
      this.#ready.delete(oldest[0]);
      oldest[1].then(finalize, () => undefined);
    }
    return ready;
  }
}

function finalize(statement: Statement): Promise<void> {
  return new Promise((resolve) => {
    statement.finalize(() => resolve());
  });
}
