import sqlite3 from 'sqlite3';

/** Events that a listener has still to handle. Plain SQL: the platform offers no operation for it. */
const waiting = `SELECT 1 FROM kernel_listeners l JOIN kernel_outbox o ON o.topic = l.topic AND o.id > l.cursor_id LIMIT 1`;

/**
 * Lets generated numbers start high: all have the same number of digits then, so that previews cut texts at the same place, and no two kinds
 * have the same number. Plain SQL: the platform offers no operation for it.
 */
const numbers = `DELETE FROM sqlite_sequence WHERE name IN ('members_members', 'notifications_items', 'schedules_schedules', 'schedules_runs');
  INSERT INTO sqlite_sequence (name, seq) VALUES ('members_members', 1000000), ('notifications_items', 2000000),
    ('schedules_schedules', 3000000), ('schedules_runs', 4000000)`;

/** Opens a platform's SQLite database beside it. */
export class Outbox {
  readonly #database: sqlite3.Database;

  constructor(file: string) {
    this.#database = new sqlite3.Database(file, sqlite3.OPEN_READWRITE);
  }

  /** Lets the numbers of new records have seven digits. */
  widenNumbers(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#database.exec(numbers, (fault) => (fault ? reject(fault) : resolve()));
    });
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
