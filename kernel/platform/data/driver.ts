import type { Query, SqlValue, StatementOptions } from '../../contract/data.js';
import type { Entry } from './archive.js';

export type ParseRows = <Row extends object>(rows: Row[]) => Row[];

/** A connection. Statements run one after the other; placeholders are `$1`, `$2`, … */
export interface Connection {
  rows<Row extends object>(sql: string, values: readonly SqlValue[], options?: StatementOptions): Promise<Row[]>;
  /** Runs a statement; returns the number of changed rows. */
  run(sql: string, values: readonly SqlValue[], options?: StatementOptions): Promise<number>;
  /** Returns a connection object for Sequelize. All rows that it reads pass through `parse`. */
  lend(parse: ParseRows): object;
}

/** Consistent view of the database at one moment, while others go on writing. */
export interface Snapshot {
  rows<Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]>;
  /** Returns the approximate size of its entries in bytes. */
  size(): Promise<number>;
  /** Returns the content as files of an archive, in order, without the bytes of blobs. */
  entries(): AsyncIterable<Entry>;
  /** Row counts by table; complete after the entries were read. */
  readonly tables: Readonly<Record<string, number>>;
}

export interface SnapshotOptions {
  /** Empty folder for temporary files. */
  folder: string;
  /** Aborts the copy. */
  signal: AbortSignal;
  /** Called with the number of bytes copied to a temporary file. */
  copied?: ((bytes: number, total: number) => void) | undefined;
}

/** Differences between the databases. Errors are the driver's own; {@link explain} converts them. */
export interface Driver {
  readonly dialect: 'sqlite' | 'postgres';
  /** The database package for Sequelize. */
  readonly engine: object;
  /** Statement that begins a writing transaction. */
  readonly begin: string;
  /** Lends a connection for reading committed data. */
  read<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Lends a connection for writing; on SQLite to one caller at a time. */
  write<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  prepare<Row extends object>(sql: string): Query<Row>;
  /** Lends a driver for work with statements of many minutes. */
  withoutTimeLimit<T>(work: (driver: Driver) => Promise<T>): Promise<T>;
  /** Converts errors of a busy, lost or corrupt database to failures; returns others unchanged. */
  explain(thrown: unknown): unknown;
  /** Runs work under a named lock, exclusive in the whole installation. */
  lock<T>(name: string, work: () => Promise<T>, timeout_ms: number): Promise<T>;
  /** Lends a snapshot of the committed data. Neither reads nor writes wait for it, however long it is held. */
  snapshot<T>(options: SnapshotOptions, work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /** Bytes on disk. */
  size(): Promise<number>;
  close(): Promise<void>;
}

/** Returns whether a statement only reads, so that it may run beside the writer. Doubtful ones count as writing. */
export function isRead(sql: string): boolean {
  if (/^\s*(--[^\n]*\n\s*)*select\b/i.test(sql)) return true;
  return /^\s*with\b/i.test(sql) && !/\b(insert|update|delete|replace)\b/i.test(sql);
}
