import type { Query } from '../../contract/data.js';
import type { Log } from '../../contract/extension.js';
import { within } from '../../contract/within.js';
import { Ambient } from '../../core/ambient.js';
import { type Connection, type Driver, isRead } from './driver.js';
import { failData, reasonOf } from './failures.js';
import { Session } from './session.js';

/** Is given each transaction, and each statement outside of one, with its kind: `TRANSACTION`, `SELECT`, … */
export type Watch = <T>(kind: string, work: () => Promise<T>) => Promise<T>;

export interface TransactionsOptions {
  driver: Driver;
  log: Log;
  watch?: Watch | undefined;
  /** How long a transaction may be open: others wait for it. */
  timeout_ms: number;
}

interface Ended<T> {
  result: T;
  afterCommit: readonly (() => void)[];
}

/** Runs work in transactions, nested ones joined to the outermost. */
export class Transactions {
  readonly #driver: Driver;
  /** The transaction that runs here. */
  readonly #scope = new Ambient<Session>();
  readonly #log: Log;
  readonly #timeout_ms: number;
  readonly #watch: Watch | undefined;

  constructor({ driver, log, timeout_ms, watch }: TransactionsOptions) {
    this.#driver = driver;
    this.#watch = watch;
    this.#log = log;
    this.#timeout_ms = timeout_ms;
  }

  get current(): Session | undefined {
    return this.#scope.current();
  }

  /** Lends a connection for one statement: that of the transaction that runs here, else one of its own. */
  async statement<T>(sql: string, work: (connection: Connection) => Promise<T>): Promise<T> {
    const session = this.current;
    try {
      if (session) return await session.statement(() => work(session.connection));
      const run = () => (isRead(sql) ? this.#driver.read(work) : this.#driver.write(work));
      return await (this.#watch ? this.#watch(kindOf(sql), run) : run());
    } catch (thrown) {
      throw this.#driver.explain(thrown);
    }
  }

  /** Keeps a statement ready; it knows no transaction. */
  prepare<Row extends object>(sql: string): Query<Row> {
    const query = this.#driver.prepare<Row>(sql);
    const watch = this.#watch;
    if (!watch) return query;
    const kind = kindOf(sql);
    return {
      all: (...values) => watch(kind, () => query.all(...values)),
      get: (...values) => watch(kind, () => query.get(...values)),
    };
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const outer = this.#scope.current();
    if (outer) return outer.join(work);
    const { result, afterCommit } = await this.#begin(work);
    for (const hook of afterCommit) this.#call(hook);
    return result;
  }

  afterCommit(hook: () => void): void {
    const session = this.#scope.current();
    if (session?.open) session.afterCommit.push(hook);
    else this.#call(hook);
  }

  async #begin<T>(work: () => Promise<T>): Promise<Ended<T>> {
    try {
      const run = () => this.#driver.write((connection) => this.#on(connection, work));
      return await (this.#watch ? this.#watch('TRANSACTION', run) : run());
    } catch (thrown) {
      throw this.#driver.explain(thrown);
    }
  }

  async #on<T>(connection: Connection, work: () => Promise<T>): Promise<Ended<T>> {
    await connection.run(this.#driver.begin, []);
    const session = new Session(connection);
    try {
      const result = await within(this.#timeout_ms, this.#scope.run(session, work), () => {
        throw failData('database_busy', `A transaction was open for more than ${this.#timeout_ms} ms and was rolled back`);
      });
      session.seal();
      await connection.run('COMMIT', []);
      return { result, afterCommit: session.afterCommit };
    } catch (error) {
      await session.abandon();
      await this.#rollback(connection);
      throw error;
    }
  }

  /** SQLite may have rolled back by itself (a full disk), and a lost connection has: neither is a fault. */
  async #rollback(connection: Connection): Promise<void> {
    await connection.run('ROLLBACK', []).catch((error: unknown) => {
      this.#log.debug('a rollback had nothing to do', { reason: reasonOf(error) });
    });
  }

  #call(hook: () => void): void {
    try {
      this.#scope.outside(hook);
    } catch (error) {
      this.#log.error('work after a commit failed', { err: error });
    }
  }
}

/** The statement's first word. */
function kindOf(sql: string): string {
  return /^\s*([a-z]+)/i.exec(sql)?.[1]?.toUpperCase() ?? 'STATEMENT';
}
