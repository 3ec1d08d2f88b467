import sqlite3 from 'sqlite3';

/** Events that a listener has still to handle. Plain SQL: the platform offers no operation for it. */
const waiting = `SELECT 1 FROM kernel_listeners l JOIN kernel_outbox o ON o.topic = l.topic AND o.id > l.cursor_id LIMIT 1`;

/** Reads a platform's SQLite database beside it. */
export class Outbox {
  readonly #database: sqlite3.Database;

  constructor(file: string) {
    this.#database = new sqlite3.Database(file, sqlite3.OPEN_READONLY);
  }

  /** Returns whether all listeners have handled all events. */
  isEmpty(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#database.all(waiting, (fault, rows) => (fault ? reject(fault) : resolve(rows.length === 0)));
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#database.close(() => resolve()));
  }
}
