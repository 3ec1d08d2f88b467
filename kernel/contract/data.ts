import type { Model, ModelOptions, ModelStatic, QueryInterface } from 'sequelize';
import type { Columns, ColumnTypes, Expressions, TableModel } from './models.js';

/** Plain values that a statement takes and gives. Dates are ISO 8601 text, booleans 0/1 on SQLite. */
export type SqlValue = string | number | boolean | null | Uint8Array;

/** A statement kept ready for hot reads. Runs outside any transaction, on what is committed. */
export interface Query<Row> {
  all(...values: SqlValue[]): Promise<Row[]>;
  get(...values: SqlValue[]): Promise<Row | undefined>;
}

export interface StatementOptions {
  /**
   * A text that runs all the time: PostgreSQL keeps it ready on each connection, where to read and to plan it may cost more
   * than to run it. Not for one that varies, whose best plan depends on its values, or that gives `*`: an upgrade may change
   * what that is. Default: false. On SQLite no matter: there all are kept.
   */
  often?: boolean;
  /** Gives values the types that columns of these names have in this model. Default: as the driver gives them. */
  model?: ModelStatic<Model>;
}

/**
 * An extension's part of the one database.
 *
 * Reads may run side by side. Writes and transactions run one after the other on SQLite, so keep
 * them short and never wait for a network inside one. Whatever is awaited inside a transaction joins
 * it by itself: models, `run`, `rows`, `emit`, and other extensions' services.
 *
 * All of it fails with `database_unavailable` where the database is gone and with `database_busy` where
 * a turn, a lock or a statement took too long (30 s); what was asked has then not happened, except that a
 * single write, or a commit, may have if the connection was lost while it ran.
 */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres';
  /** The types of columns, for {@link define}. */
  readonly columns: ColumnTypes;
  readonly expressions: Expressions;
  /**
   * Defines a model of Sequelize's whose table is `<extension>_<name>`, with `_` for what is neither a letter nor a digit.
   * It is gone from the registry when the extension stops.
   */
  define<C extends Columns>(name: string, columns: C, options?: ModelOptions): TableModel<C>;
  /**
   * Runs `work` in a transaction, or in the one that already runs here. A throw rolls all of it back. So
   * does a statement that fails, even if its error is caught inside: catch a unique violation around the
   * transaction, or write `ON CONFLICT`. Nothing may run on after the end of `work`. At most 60 s.
   *
   * What is read to be written back is locked by `FOR UPDATE` at the end of the `SELECT` (or a model's
   * `lock: true`); SQLite, where transactions run one at a time, needs no lock and the words are left out there.
   */
  transaction<T>(work: () => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Whether a transaction runs here. */
  readonly inTransaction: boolean;
  /** Runs `work` after the transaction that runs here has committed; at once where none runs. Never awaited by the commit. */
  afterCommit(work: () => void): void;
  /** A hot read. Placeholders are `$1`, `$2`, … on both databases. */
  prepare<Row extends object>(sql: string, options?: Pick<StatementOptions, 'model'>): Query<Row>;
  /** Rows of one statement, inside the transaction that runs here. Placeholders as in {@link prepare}. */
  rows<Row extends object>(sql: string, values?: readonly SqlValue[], options?: StatementOptions): Promise<Row[]>;
  /** Runs one writing statement, inside the transaction that runs here or in one of its own; gives the number of rows changed. */
  run(sql: string, values?: readonly SqlValue[], options?: StatementOptions): Promise<number>;
}

/** The tools of a migration. Its tables start with `<extension>_`, as models' do. */
export interface MigrationContext {
  dialect: 'sqlite' | 'postgres';
  /** Sequelize's dialect-neutral schema commands. */
  schema: QueryInterface;
  /** Runs one statement. */
  run: (sql: string) => Promise<void>;
}

export interface TransactionOptions {
  /**
   * False where it is not the effect of the operation that runs here, such as the count of a failure: then it carries no row of
   * the audit trail. Default true.
   */
  audited?: boolean;
}

/** One numbered step of an extension's schema, run once, in order, under a lock, in a transaction. */
export interface Migration {
  /** `0001-members`: four digits and a name; sorts by them. */
  name: string;
  up: (context: MigrationContext) => Promise<void>;
  /**
   * Runs after all rows of an installation were copied from SQLite to PostgreSQL, in the same transaction. For what is not
   * copied: a virtual table of SQLite's, as a search index, whose table is empty there.
   */
  moved?: (context: MigrationContext) => Promise<void>;
}

/** Content by its SHA-256, stored once for all extensions. It stays as long as somebody holds it. */
export interface Blobs {
  /**
   * Stores bytes; gives their hash, `sha256:<hex>`. Not inside a transaction. Nobody holds them yet: `hold` them
   * within an hour. Fails with `disk_low` if there are more than 64 KiB and the disk has too little space.
   */
  put(bytes: Uint8Array): Promise<string>;
  /** The bytes, their hash checked, or undefined. Fails with `blob_corrupt` where the hash differs. */
  get(hash: string): Promise<Buffer | undefined>;
  /**
   * Keeps blobs for a holder, any name of the extension's own of at most 128 characters. Joins the transaction that
   * runs here. Fails with `blob_missing` where one isn't there any more, because its last holder has just let go:
   * put it again, outside of the transaction.
   */
  hold(holder: string, hashes: readonly string[]): Promise<void>;
  /** The holders let go of all that they have; after the commit what nobody holds is removed. */
  release(holders: readonly string[]): Promise<void>;
}

/** Seals small secrets with the platform's master key (AES-256-GCM). */
export interface Secrets {
  seal(plain: Uint8Array): string;
  /** Opens what `seal` gave; throws where it was altered or sealed with another key. */
  open(sealed: string): Buffer;
}

/** Whether a statement or a model's call failed because a row with the same unique value exists. */
export function isUniqueViolation(thrown: unknown): boolean {
  type Fault = { code?: unknown; message?: unknown; parent?: unknown } | null | undefined;
  // Sequelize wraps the driver's error, and on SQLite calls each broken constraint a unique one.
  const error = (thrown as Fault)?.parent ?? thrown;
  const { code, message } = (error as Fault) ?? {};
  return code === '23505' || (code === 'SQLITE_CONSTRAINT' && /UNIQUE constraint failed/.test(String(message)));
}
