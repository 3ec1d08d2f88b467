import sqlite3 from 'sqlite3';
import type { Query, SqlValue } from '../../../contract/data.js';
import { isFailure } from '../../../contract/failure.js';
import type { Driver, Snapshot, SnapshotOptions } from '../driver.js';
import { codeOf, failData, reasonOf } from '../failures.js';
import { lockHolder } from '../lock-holder.js';
import { Mutex } from '../mutex.js';
import { openSqlite, type SqliteConnection } from './connection.js';
import { corrupt, inspect, sizeOf } from './inspect.js';
import { LogEmptier } from './log-emptier.js';
import { keepPrivate } from './private-file.js';
import { withSnapshot } from './snapshot.js';

export interface SqliteOptions {
  file: string;
  /** Checks the file before anything changes it. */
  check: (connection: SqliteConnection) => Promise<void>;
  /** Returns whether a person waits for the current work. */
  isAwaited?: (() => boolean) | undefined;
  /** Wait between a write and the emptying of the write-ahead log. Default 10,000. */
  empty_log_ms?: number | undefined;
}

const wait_ms = 30_000;
/** Time that SQLite waits for another connection. */
const busy_ms = 5_000;
/** Time that emptying the log waits for running reads. Writers wait as long. */
const empty_busy_ms = 50;

/** Opens a SQLite file: one writing connection behind a queue, and two read-only connections. */
export async function openSqliteDriver(options: SqliteOptions): Promise<Driver> {
  try {
    await inspect(sqlite3, options.file, options.check);
    await keepPrivate(options.file);
    const writer = await openWriter(options.file);
    return new SqliteDriver(options, { writer, ...(await openReaders(options.file, writer)) });
  } catch (thrown) {
    throw await explainOpening(options.file, thrown);
  }
}

async function openWriter(file: string): Promise<SqliteConnection> {
  const writer = await openSqlite(sqlite3, file, sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE);
  writer.native.serialize();
  writer.native.configure('busyTimeout', busy_ms);
  await writer.script(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = 67108864; ' +
      // Overwrites deleted content with zeros.
      'PRAGMA secure_delete = ON',
  );
  return writer;
}

async function openReaders(file: string, writer: SqliteConnection): Promise<Omit<Connections, 'writer'>> {
  try {
    const [reader, hot] = await Promise.all([openReader(file), openReader(file)]);
    return { reader, hot };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

async function openReader(file: string): Promise<SqliteConnection> {
  const reader = await openSqlite(sqlite3, file, sqlite3.OPEN_READONLY);
  reader.native.configure('busyTimeout', busy_ms);
  return reader;
}

interface Connections {
  writer: SqliteConnection;
  /** For models and `rows`. */
  reader: SqliteConnection;
  /** For prepared statements, which Sequelize's blocking of a connection would delay. */
  hot: SqliteConnection;
}

class SqliteDriver implements Driver {
  readonly dialect = 'sqlite';
  readonly begin = 'BEGIN IMMEDIATE';
  readonly engine = sqlite3;
  readonly #file: string;
  readonly #connections: Connections;
  readonly #writes: Mutex;
  readonly #locks = new Map<string, Mutex>();
  readonly #log: LogEmptier;
  #closed = false;

  constructor({ file, isAwaited, empty_log_ms }: SqliteOptions, connections: Connections) {
    this.#file = file;
    this.#writes = new Mutex({ timeout_ms: wait_ms, max: 10_000, what: 'the database to write', ...(isAwaited && { isAwaited }) });
    this.#connections = connections;
    this.#log = new LogEmptier({ empty: () => this.#emptyLog(), wait_ms: empty_log_ms });
  }

  async read<T>(work: (connection: SqliteConnection) => Promise<T>): Promise<T> {
    this.#checkOpen();
    return work(this.#connections.reader);
  }

  async write<T>(work: (connection: SqliteConnection) => Promise<T>): Promise<T> {
    this.#checkOpen();
    return this.#writes.run(() => {
      this.#log.schedule();
      return work(this.#connections.writer);
    });
  }

  prepare<Row extends object>(sql: string): Query<Row> {
    const all = async (...values: SqlValue[]): Promise<Row[]> => {
      this.#checkOpen();
      try {
        return await this.#connections.hot.rows<Row>(sql, values);
      } catch (thrown) {
        throw this.explain(thrown);
      }
    };
    return { all, get: async (...values) => (await all(...values))[0] };
  }

  /** Runs work directly: statements have no time limit on SQLite. */
  withoutTimeLimit<T>(work: (driver: Driver) => Promise<T>): Promise<T> {
    return work(this);
  }

  explain(thrown: unknown): unknown {
    if (isFailure(thrown)) return thrown;
    const cause = (thrown as { parent?: unknown } | undefined)?.parent ?? thrown;
    const code = codeOf(cause);
    if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
      return failData('database_busy', `The database ${this.#file} is held by another program`, { cause, retry_after: 1 });
    }
    if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return corrupt(this.#file, reasonOf(cause), cause);
    if (/^SQLITE_(FULL|IOERR|CANTOPEN|READONLY)/.test(code) && !/readonly/.test(reasonOf(cause))) {
      return failData('database_unavailable', `The database ${this.#file} can't be read or written: ${reasonOf(cause)}`, { cause });
    }
    return thrown;
  }

  /** Runs work under a lock of this process; the lock of the data folder excludes other processes. */
  lock<T>(name: string, work: () => Promise<T>, timeout_ms: number): Promise<T> {
    const mutex = this.#locks.get(name) ?? new Mutex({ timeout_ms, max: 1_000, what: `the lock '${name}'` });
    this.#locks.set(name, mutex);
    return mutex.run(work, timeout_ms).finally(() => {
      if (mutex.idle) this.#locks.delete(name);
    });
  }

  async snapshot<T>(options: SnapshotOptions, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    this.#checkOpen();
    try {
      return await withSnapshot(this.#file, options, work);
    } catch (thrown) {
      throw this.explain(thrown);
    }
  }

  async size(): Promise<number> {
    const sizes = await Promise.all([sizeOf(this.#file), sizeOf(`${this.#file}-wal`)]);
    return sizes[0] + sizes[1];
  }

  /** Waits for queued writes, then closes; the last connection checkpoints the write-ahead log. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#log.stop();
    await this.#writes.run(async () => {
      await this.#connections.hot.close();
      await this.#connections.reader.close();
      await this.#connections.writer.close();
    }, 5_000);
  }

  /** Moves the log's content into the database file and truncates the log; false if a reader or a snapshot still needs it. */
  #emptyLog(): Promise<boolean> {
    return this.#writes.run(async () => {
      if (this.#closed) return true;
      const { writer } = this.#connections;
      writer.native.configure('busyTimeout', empty_busy_ms);
      try {
        const [row] = await writer.rows<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)', []);
        return row?.busy === 0;
      } finally {
        writer.native.configure('busyTimeout', busy_ms);
      }
    });
  }

  #checkOpen(): void {
    if (this.#closed) throw failData('database_unavailable', `The database ${this.#file} is closed`);
  }
}

async function explainOpening(file: string, thrown: unknown): Promise<unknown> {
  if (isFailure(thrown)) return thrown;
  const code = codeOf(thrown);
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return corrupt(file, reasonOf(thrown), thrown);
  if (code.startsWith('SQLITE_BUSY')) return held(file, thrown);
  if (/^(SQLITE_(CANTOPEN|READONLY|PERM|FULL|IOERR)|EACCES|EPERM|ENOTDIR|EISDIR|EROFS)/.test(code)) {
    return failData('data_dir_unwritable', `The database ${file} can't be opened for writing: ${reasonOf(thrown)}`, { cause: thrown });
  }
  return thrown;
}

async function held(file: string, cause: unknown): Promise<Error> {
  const holder = (await lockHolder(file)) ?? (await lockHolder(`${file}-shm`));
  if (!holder) return failData('database_busy', `The database ${file} is held by another program`, { cause });
  const { pid, name, since } = holder;
  return failData('database_busy', `The database ${file} is held by process ${pid} (${name})`, {
    cause,
    since,
    fix: `end it with: kill ${pid}`,
  });
}
