import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import sqlite3 from 'sqlite3';
import type { SqlValue } from '../../../contract/data.js';
import type { Entry } from '../archive.js';
import type { Snapshot, SnapshotOptions } from '../driver.js';
import { openSqlite, type SqliteConnection } from './connection.js';
import { copyDatabase } from './copy.js';
import { openImmutable } from './inspect.js';

/**
 * Holds a read transaction on a connection of its own, so that the log keeps what it sees, and copies the pages from
 * there. Writers go on: the log grows by what they write meanwhile, and shrinks again afterwards. A copy that is not
 * inside of a transaction would begin anew after each write of theirs; one on the writer's connection would take its turns.
 */
export async function withSnapshot<T>(file: string, options: SnapshotOptions, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const connection = await openSqlite(sqlite3, file, sqlite3.OPEN_READONLY);
  try {
    connection.native.configure('busyTimeout', 5_000);
    await connection.run('BEGIN', []);
    // The transaction begins with its first read.
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
  /** The same content, in a file of its own. */
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
    await (await open(file, 'wx', 0o600)).close();
    await copyDatabase(this.#live, file, { signal, copied: (share) => copied?.(Math.round(share * bytes), bytes) });
    this.#copy = await openImmutable(sqlite3, file);
    // From here on the log need not keep what the copy has.
    await this.#live.run('COMMIT', []);
    await this.#countRows();
    const { size } = await stat(file);
    yield { name: 'database.sqlite', bytes: size, content: pieces(file) };
  }

  async close(): Promise<void> {
    await this.#copy?.close();
  }

  /** Rows of the plain tables; a search index looks after its own. */
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

/** Opened when it is read. */
async function* pieces(file: string): AsyncGenerator<Buffer> {
  yield* createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>;
}
