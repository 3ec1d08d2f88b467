import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import sqlite3 from 'sqlite3';
import type { Entry } from '../backup/archive-writer.js';
import type { Snapshot, SnapshotOptions } from '../driver.js';
import { openSqlite, type SqliteConnection } from './connection.js';
import { copyDatabase } from './copy.js';
import { openImmutable } from './inspect.js';

/**
 * Holds a read transaction on a connection of its own, so that the log keeps what it sees, and copies the pages from
 * there. Writers go on: the log grows by what they write meanwhile, and shrinks again afterwards. A copy that is not
 * inside of a transaction would begin anew after each write of theirs; one on the writer's connection would take its turns.
 */
export async function withSnapshot<T>(
  file: string,
  { folder, signal }: SnapshotOptions,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const connection = await openSqlite(sqlite3, file, sqlite3.OPEN_READONLY);
  try {
    connection.native.configure('busyTimeout', 5_000);
    await connection.run('BEGIN', []);
    // The transaction begins with its first read.
    await connection.rows('SELECT count(*) AS tables FROM sqlite_master', []);
    return await work(new SqliteSnapshot(connection, { folder, signal }));
  } finally {
    await connection.close();
  }
}

class SqliteSnapshot implements Snapshot {
  readonly tables: Record<string, number> = {};
  readonly #connection: SqliteConnection;
  readonly #options: SnapshotOptions;

  constructor(connection: SqliteConnection, options: SnapshotOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  rows<Row extends object>(sql: string, values: readonly (string | number)[]): Promise<Row[]> {
    return this.#connection.rows<Row>(sql, values);
  }

  async *entries(): AsyncGenerator<Entry> {
    const { folder, signal } = this.#options;
    const copy = join(folder, 'database.sqlite');
    await (await open(copy, 'wx', 0o600)).close();
    await copyDatabase(this.#connection, copy, signal);
    Object.assign(this.tables, await countRows(copy, signal));
    const { size } = await stat(copy);
    yield { name: 'database.sqlite', bytes: size, content: createReadStream(copy, { highWaterMark: 256 * 1024 }) };
  }
}

/** Of the plain tables; those behind a search index are its own affair. */
async function countRows(file: string, signal: AbortSignal): Promise<Record<string, number>> {
  const connection = await openImmutable(sqlite3, file);
  try {
    const names = await connection.rows<{ name: string }>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
      [],
    );
    const counts: Record<string, number> = {};
    for (const { name } of names) {
      signal.throwIfAborted();
      const [row] = await connection.rows<{ rows: number }>(`SELECT count(*) AS rows FROM "${name}"`, []);
      counts[name] = row?.rows ?? 0;
    }
    return counts;
  } finally {
    await connection.close();
  }
}
