import type { Model, ModelOptions, ModelStatic, QueryInterface } from 'sequelize';
import type { Columns, ColumnTypes, Expressions, TableModel } from './models.js';

/** A plain value in a statement or its result. Dates are ISO 8601 text; SQLite returns booleans as 0 and 1. */
export type SqlValue = string | number | boolean | null | Uint8Array;

/** A prepared statement for frequent reads. Runs outside any transaction and sees committed data only. */
export interface Query<Row> {
  all(...values: SqlValue[]): Promise<Row[]>;
  get(...values: SqlValue[]): Promise<Row | undefined>;
}

export interface StatementOptions {
  /**
   * Whether PostgreSQL prepares the statement on each connection, because parsing and planning would take longer than running it. Not
   * for a text that varies, whose best plan depends on its values, or that selects `*`, whose columns an upgrade may change. Default false.
   * No effect on SQLite, where such statements stay prepared anyway.
   */
  often?: boolean;
  /** Converts the result's columns to the types that the columns of the same name have in this model. Default: the driver's types. */
  model?: ModelStatic<Model>;
}

/**
 * An extension's part of the one database.
 *
 * Reads run concurrently. On SQLite writes and transactions run one at a time, so keep them short and never wait for a network inside one.
 * Everything that is awaited inside a transaction joins it automatically: models, `run`, `rows`, `emit`, and other extensions' services.
 *
 * Every method fails with `database_unavailable` if the database is unreachable, and with `database_busy` if waiting for a turn or a lock, or
 * the statement itself, takes longer than 30 s. Then nothing has changed, except that a single write or a commit may have succeeded if the
 * connection was lost while it ran.
 */
export interface Database {
  readonly dialect: 'sqlite' | 'postgres';
  /** The types of columns, for {@link define}. */
  readonly columns: ColumnTypes;
  readonly expressions: Expressions;
  /**
   * Defines a Sequelize model of the table `<extension>_<name>`; characters other than letters and digits become `_`. The model is removed
   * when the extension stops.
   */
  define<C extends Columns>(name: string, columns: C, options?: ModelOptions): TableModel<C>;
  /**
   * Runs `work` in a transaction, or in the current one if there is one. If `work` throws, everything is rolled back; also if a statement
   * fails and `work` catches its error: so catch a unique violation outside of the transaction, or use `ON CONFLICT`. No statement may
   * still run when `work` ends. At most 60 s.
   *
   * Lock rows that are read to be changed, with `FOR UPDATE` at the end of the `SELECT` or a model's `lock: true`. On SQLite, which runs
   * transactions one at a time, these words are removed.
   */
  transaction<T>(work: () => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Whether the caller runs inside a transaction. */
  readonly inTransaction: boolean;
  /** Runs `work` after the current transaction has committed; at once if there is none. The commit doesn't wait for it. */
  afterCommit(work: () => void): void;
  /** Prepares a statement for frequent reads. Placeholders are `$1`, `$2`, … on both databases. */
  prepare<Row extends object>(sql: string, options?: Pick<StatementOptions, 'model'>): Query<Row>;
  /** Runs one statement in the current transaction, if there is one, and returns its rows. Placeholders as in {@link prepare}. */
  rows<Row extends object>(sql: string, values?: readonly SqlValue[], options?: StatementOptions): Promise<Row[]>;
  /** Runs one writing statement, in the current transaction or one of its own; returns the number of changed rows. */
  run(sql: string, values?: readonly SqlValue[], options?: StatementOptions): Promise<number>;
}

/** Context of a migration. Names of its tables start with `<extension>_`, like those of models. */
export interface MigrationContext {
  dialect: 'sqlite' | 'postgres';
  /** Sequelize's dialect-neutral schema commands. */
  schema: QueryInterface;
  /** Runs one statement. */
  run: (sql: string) => Promise<void>;
}

export interface TransactionOptions {
  /**
   * Whether the transaction is the effect of the current operation, so that the audit trail's row is written in it. False for side effects
   * such as counting a failure. Default true.
   */
  audited?: boolean;
}

/** One numbered step of an extension's schema. Runs once, in order, under a lock, in a transaction. */
export interface Migration {
  /** `0001-members`: four digits and a name; sorts by them. */
  name: string;
  up: (context: MigrationContext) => Promise<void>;
  /**
   * Runs after an installation's rows were copied from SQLite to PostgreSQL, in the same transaction. Fills tables that are not copied,
   * such as a search index, which is a virtual table on SQLite.
   */
  moved?: (context: MigrationContext) => Promise<void>;
}

/** Store of content by its SHA-256, shared by all extensions. A blob stays as long as somebody holds it. */
export interface Blobs {
  /**
   * Stores bytes and returns their hash, `sha256:<hex>`. Not inside a transaction. Nobody holds the blob yet: call {@link hold} within an
   * hour. Fails with `disk_low` if there are more than 64 KiB and the disk has too little space.
   */
  put(bytes: Uint8Array): Promise<string>;
  /** Returns the bytes, or undefined if there is no such blob. Fails with `blob_corrupt` if their hash differs. */
  get(hash: string): Promise<Buffer | undefined>;
  /**
   * Keeps blobs for a holder: a name that the extension chooses, at most 128 characters. Joins the current transaction. Fails with
   * `blob_missing` if a blob is gone because its last holder has just released it: put it again, outside of the transaction.
   */
  hold(holder: string, hashes: readonly string[]): Promise<void>;
  /** Releases all blobs of the holders. Blobs that nobody holds are removed after the commit. */
  release(holders: readonly string[]): Promise<void>;
}

/** Encrypts small secrets with the platform's master key (AES-256-GCM). */
export interface Secrets {
  seal(plain: Uint8Array): string;
  /** Decrypts what `seal` returned; throws if it was altered or sealed with another key. */
  open(sealed: string): Buffer;
}

/** Returns whether a statement or a model's call failed because a row with the same unique value exists. */
export function isUniqueViolation(thrown: unknown): boolean {
  type Fault = { code?: unknown; message?: unknown; parent?: unknown } | null | undefined;
  // Look at the driver's error: Sequelize reports every broken constraint on SQLite as a unique one.
  const error = (thrown as Fault)?.parent ?? thrown;
  const { code, message } = (error as Fault) ?? {};
  return code === '23505' || (code === 'SQLITE_CONSTRAINT' && /UNIQUE constraint failed/.test(String(message)));
}
