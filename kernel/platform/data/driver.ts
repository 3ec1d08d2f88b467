import type { Query, SqlValue, StatementOptions } from '../../contract/data.js';
import type { Entry } from './archive.js';

export type ParseRows = <Row extends object>(rows: Row[]) => Row[];

/** One connection. Its statements run one after the other; placeholders are `$1`, `$2`, … */
export interface Connection {
  rows<Row extends object>(sql: string, values: readonly SqlValue[], options?: StatementOptions): Promise<Row[]>;
  /** Gives the number of rows changed. */
  run(sql: string, values: readonly SqlValue[], options?: StatementOptions): Promise<number>;
  /** Gives what Sequelize takes for a connection. All rows that it reads pass through `parse`. */
  lend(parse: ParseRows): object;
}

/** All that the database held at one moment, beside those who go on writing. */
export interface Snapshot {
  rows<Row extends object>(sql: string, values: readonly SqlValue[]): Promise<Row[]>;
  /** About how many bytes its entries have. */
  size(): Promise<number>;
  /** The content as files of an archive, in order. Blobs' bytes are not among them. */
  entries(): AsyncIterable<Entry>;
  /** Rows by table; complete once the entries were read. */
  readonly tables: Readonly<Record<string, number>>;
}

export interface SnapshotOptions {
  /** An empty folder, for what must lie in a file first. */
  folder: string;
  /** Ends the copying. */
  signal: AbortSignal;
  /** Told how many bytes of what must lie in a file first do. */
  copied?: ((bytes: number, total: number) => void) | undefined;
}

/** The differences between the databases. Errors come out as the driver made them; {@link explain} says what they mean. */
export interface Driver {
  readonly dialect: 'sqlite' | 'postgres';
  /** The package that Sequelize speaks to this database with. */
  readonly engine: object;
  /** The statement that opens a transaction which may write. */
  readonly begin: string;
  /** Lends a connection for reading what is committed. */
  read<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Lends a connection for writing; on SQLite to one at a time. */
  write<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  prepare<Row extends object>(sql: string): Query<Row>;
  /** Lends itself for work whose statements may take many minutes. */
  patiently<T>(work: (driver: Driver) => Promise<T>): Promise<T>;
  /** Turns what a busy, lost or broken database throws into a Failure; gives anything else back unchanged. */
  explain(thrown: unknown): unknown;
  /** Holds a lock that excludes all others of this name in the installation. */
  lock<T>(name: string, work: () => Promise<T>, timeout_ms: number): Promise<T>;
  /** Lends a snapshot of all that is committed now. Neither reads nor writes wait for it, however long it is held. */
  snapshot<T>(options: SnapshotOptions, work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /** Bytes on disk. */
  size(): Promise<number>;
  close(): Promise<void>;
}

/** Whether a statement only reads, so that it may run beside the writer. Doubtful ones count as writing. */
export function isRead(sql: string): boolean {
  if (/^\s*(--[^\n]*\n\s*)*select\b/i.test(sql)) return true;
  return /^\s*with\b/i.test(sql) && !/\b(insert|update|delete|replace)\b/i.test(sql);
}
