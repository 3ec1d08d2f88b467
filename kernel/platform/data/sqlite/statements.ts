import type { Database, RunResult, Statement } from 'sqlite3';
import type { SqlValue } from '../../../contract/data.js';
import { toBindings, toSqlite } from './sql.js';

/** Limit of prepared statements. */
const max = 500;

/**
 * Prepared statements of a connection by their text; the least recently used are dropped. Running a prepared one creates a single promise,
 * because a message takes dozens of statements and async context tracking makes each promise expensive.
 */
export class Statements {
  readonly #native: Database;
  readonly #ready = new Map<string, Statement | Promise<Statement>>();

  constructor(native: Database) {
    this.#native = native;
  }

  /**
   * Reads all rows to the end: an unfinished statement (as the driver's `get` leaves it) keeps its snapshot, and the next one would read
   * stale data.
   */
  all<Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    const statement = this.#get(sql);
    return statement instanceof Promise ? statement.then((ready) => allOf<Row>(ready, values)) : allOf<Row>(statement, values);
  }

  run(sql: string, values: readonly SqlValue[]): Promise<number> {
    const statement = this.#get(sql);
    return statement instanceof Promise ? statement.then((ready) => runOf(ready, values)) : runOf(statement, values);
  }

  async close(): Promise<void> {
    const all = [...this.#ready.values()];
    this.#ready.clear();
    await Promise.all(all.map(drop));
  }

  #get(sql: string): Statement | Promise<Statement> {
    const ready = this.#ready.get(sql) ?? this.#prepare(sql);
    this.#ready.delete(sql);
    this.#ready.set(sql, ready);
    if (this.#ready.size > max) this.#dropOldest();
    return ready;
  }

  #dropOldest(): void {
    const [oldest] = this.#ready;
    if (!oldest) return;
    this.#ready.delete(oldest[0]);
    void drop(oldest[1]);
  }

  #prepare(sql: string): Promise<Statement> {
    const ready = new Promise<Statement>((resolve, reject) => {
      const statement = this.#native.prepare(toSqlite(sql), (error: Error | null) => (error ? reject(error) : resolve(statement)));
    });
    const isKept = () => this.#ready.get(sql) === ready;
    ready.then(
      (statement) => {
        if (isKept()) this.#ready.set(sql, statement);
      },
      () => {
        if (isKept()) this.#ready.delete(sql);
      },
    );
    return ready;
  }
}

function allOf<Row extends object>(statement: Statement, values: readonly SqlValue[]): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    statement.all<Row>(toBindings(values), (error: Error | null, rows: Row[]) => (error ? reject(error) : resolve(rows)));
  });
}

function runOf(statement: Statement, values: readonly SqlValue[]): Promise<number> {
  return new Promise((resolve, reject) => {
    statement.run(toBindings(values), function done(this: RunResult, error: Error | null) {
      if (error) reject(error);
      else resolve(this.changes);
    });
  });
}

/** Finalises a statement after it is prepared, if that succeeded. */
async function drop(ready: Statement | Promise<Statement>): Promise<void> {
  try {
    await finalize(await ready);
  } catch {
    // The caller of the failed preparation has received the error.
  }
}

function finalize(statement: Statement): Promise<void> {
  return new Promise((resolve) => {
    statement.finalize(() => resolve());
  });
}
