import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import sqlite3 from 'sqlite3';
import type { SqlValue } from '../../../contract/data.js';
import type { Entry } from '../archive.js';
import type { Snapshot, SnapshotOptions } from '../driver.js';
import { compactInto } from './compact.js';
import { openSqlite, type SqliteConnection } from './connection.js';
import { copyDatabase } from './copy.js';
import { openImmutable } from './inspect.js';

/**
 * Lends a snapshot: a read transaction on a separate connection, from which the pages are copied. Writers continue; the write-ahead log
 * grows until the snapshot ends. A copy outside of a transaction would restart after each write, and one on the writer's connection would
 * block it.
 */
export async function withSnapshot<T>(file: string, options: SnapshotOptions, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const connection = await openSqlite(sqlite3, file, sqlite3.OPEN_READONLY);
  try {
    connection.native.configure('busyTimeout', 5_000);
    await connection.run('BEGIN', []);
    // The first read begins the transaction.
    await connection.rows('SELECT count(*) AS tables FROM sqlite_master', []);
    return await lend(new SqliteSnapshot(connection, options), work);
  } finally {
    await connection.close();
  }
}

async function lend<T>(snapshot: SqliteSnapshot, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  try {
    return await work(snapshot);
  } finally {
    await snapshot.close();
  }
}

class SqliteSnapshot implements Snapshot {
  readonly tables: Record<string, number> = {};
  readonly #live: SqliteConnection;
  readonly #options: SnapshotOptions;
  /** Copy of the content in a temporary file. */
  #copy: SqliteConnection | undefined;

  constructor(live: SqliteConnection, options: SnapshotOptions) {
    this.#live = live;
    this.#options = options;
  }

  rows<Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    return (this.#copy ?? this.#live).rows<Row>(sql, values);
  }

  async size(): Promise<number> {
    const [row] = await this.rows<{ bytes: number }>('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size', []);
    return row?.bytes ?? 0;
  }

  async *entries(): AsyncGenerator<Entry> {
    const { folder, signal, copied } = this.#options;
    const bytes = await this.size();
    const file = join(folder, 'database.sqlite');
    const pages = join(folder, 'pages.sqlite');
    for (const each of [pages, file]) await (await open(each, 'wx', 0o600)).close();
    await copyDatabase(this.#live, pages, { signal, onProgress: (share) => copied?.(Math.round(share * bytes), bytes) });
    // The copy is complete, so the log may be checkpointed.
    await this.#live.run('COMMIT', []);
    await compactInto(pages, file, signal);
    await rm(pages);
    this.#copy = await openImmutable(sqlite3, file);
    await this.#countRows();
    const { size } = await stat(file);
    yield { name: 'database.sqlite', bytes: size, content: chunksOf(file) };
  }

  async close(): Promise<void> {
    await this.#copy?.close();
  }

  /** Counts the rows of plain tables; those of a search index are internal. */
  async #countRows(): Promise<void> {
    const names = await this.rows<{ name: string }>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
      [],
    );
    for (const { name } of names) {
      this.#options.signal.throwIfAborted();
      const [row] = await this.rows<{ rows: number }>(`SELECT count(*) AS rows FROM "${name.replaceAll('"', '""')}"`, []);
      this.tables[name] = row?.rows ?? 0;
    }
  }
}

/** Reads a file in chunks; opens it at the first read. */
async function* chunksOf(file: string): AsyncGenerator<Buffer> {
  yield* createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>;
}
