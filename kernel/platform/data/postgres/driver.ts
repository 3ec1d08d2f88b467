import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { Query, SqlValue } from '../../../contract/data.js';
import type { Log } from '../../../contract/extension.js';
import { endsWithin } from '../../../contract/within.js';
import type { Driver, Snapshot, SnapshotOptions } from '../driver.js';
import { codeOf, failData, reasonOf } from '../failures.js';
import { PostgresConnection } from './connection.js';
import { explain, isLost, isUseless } from './faults.js';
import { withSnapshot } from './snapshot.js';

export interface PostgresOptions {
  url: string;
  /** Limit of connections. */
  connections: number;
  /** Application name of the connections, at most 63 characters. Default: `platform`. */
  name?: string;
  log: Log;
  /** Time limit of a statement. Default 30,000. */
  statement_ms?: number;
}

/** Idle time before TCP keep-alive probes. */
const keep_alive_ms = 10_000;
/** Time limits of a connection, in ms. */
const limits = {
  connectionTimeoutMillis: 15_000,
  idle_in_transaction_session_timeout: 60_000,
};
/**
 * Server settings that detect lost clients: a crashed machine doesn't close its connections, and a statement that waits for a lock doesn't
 * check its client. Without them locks and connections would stay for two hours, or until the statement ends.
 */
const client_detection = [
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
  'client_connection_check_interval=2s',
];
/** Standard escaping, which Sequelize assumes for values in statements; the server may be configured otherwise. */
const standard = 'standard_conforming_strings=on';
const startOptions = [...client_detection, standard].map((setting) => `-c ${setting}`).join(' ');
/** Time limit of migrations' statements: sorting a table of millions of rows may take minutes. */
const long_statement_ms = 1_800_000;
/** Extra time after which the client gives up if the server's time limit has not. */
const client_margin_ms = 10_000;

/** Opens a driver. It connects lazily, so the first statement fails if the server is unreachable. */
export function openPostgresDriver(options: PostgresOptions): Driver {
  return new PostgresDriver(options);
}

class PostgresDriver implements Driver {
  readonly dialect = 'postgres';
  readonly begin = 'BEGIN';
  readonly engine = pg;
  readonly #url: string;
  readonly #name: string;
  readonly #log: Log;
  readonly #pool: pg.Pool;
  #closed = false;

  constructor({ url, connections, log, name = 'platform', statement_ms = 30_000 }: PostgresOptions) {
    this.#url = url;
    this.#name = name;
    this.#log = log;
    this.#pool = new pg.Pool({
      ...limits,
      statement_timeout: statement_ms,
      // A client-side limit, for a network that drops packets.
      query_timeout: statement_ms + client_margin_ms,
      connectionString: url,
      max: connections,
      idleTimeoutMillis: 10_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: keep_alive_ms,
      options: startOptions,
      application_name: name,
    });
    // The pool drops a broken idle connection; without a listener its error would end the process.
    this.#pool.on('error', (error) => log.warn('An idle connection to the database was lost', { reason: reasonOf(error) }));
  }

  /**
   * Runs a read. If its connection is dead (a restarted server), it retries once, 100 ms later, so that the pool has noticed its other
   * dead connections.
   */
  async read<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    try {
      return await this.write(work);
    } catch (thrown) {
      if (this.#closed || !isLost(thrown)) throw thrown;
      this.#log.warn('The connection to the database was lost; retrying the read', { reason: reasonOf(thrown) });
      await setTimeout(100);
      return this.write(work);
    }
  }

  async write<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    if (this.#closed) throw failData('database_unavailable', 'The connections to the PostgreSQL server are closed');
    const native = await this.#pool.connect();
    const broken = { error: undefined as Error | undefined };
    const onError = (error: Error) => {
      broken.error = error;
    };
    native.on('error', onError);
    try {
      return await work(new PostgresConnection(native));
    } catch (thrown) {
      if (isUseless(thrown)) broken.error ??= new Error(reasonOf(thrown));
      throw thrown;
    } finally {
      native.off('error', onError);
      native.release(broken.error);
    }
  }

  prepare<Row extends object>(sql: string): Query<Row> {
    const all = async (...values: SqlValue[]): Promise<Row[]> => {
      try {
        return await this.read((connection) => connection.rows<Row>(sql, values, { often: true }));
      } catch (thrown) {
        throw this.explain(thrown);
      }
    };
    return { all, get: async (...values) => (await all(...values))[0] };
  }

  /** Runs work on a separate pool of one connection, because time limits belong to the pool. */
  async withoutTimeLimit<T>(work: (driver: Driver) => Promise<T>): Promise<T> {
    const patient = { url: this.#url, name: this.#name, log: this.#log, connections: 1, statement_ms: long_statement_ms };
    const driver = new PostgresDriver(patient);
    try {
      return await work(driver);
    } finally {
      await driver.close();
    }
  }

  explain(thrown: unknown): unknown {
    return explain(thrown);
  }

  /**
   * Runs work under an advisory lock, on a separate connection so that locks don't use up the pool. If that connection is lost, the lock
   * is too: the call fails at once, because another process may already run the same work.
   */
  async lock<T>(name: string, work: () => Promise<T>, timeout_ms: number): Promise<T> {
    const client = this.#ownClient();
    const lost = new Promise<never>((_resolve, reject) => {
      client.on('error', (error) => {
        this.#log.error('The connection that holds a lock was lost', { lock: name, reason: reasonOf(error) });
        reject(failLost(name, error));
      });
    });
    // Avoids an unhandled rejection while the client connects or disconnects.
    lost.catch(() => undefined);
    try {
      await client.connect();
      await acquire(client, name, timeout_ms);
      return await Promise.race([work(), lost]);
    } catch (thrown) {
      throw this.explain(thrown);
    } finally {
      await awaitDisconnect(1_000, client.end());
    }
  }

  /** Lends a snapshot on a separate connection, as {@link lock} does. */
  async snapshot<T>({ signal }: SnapshotOptions, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const client = this.#ownClient();
    client.on('error', (error) => this.#log.error('The connection of a snapshot was lost', { reason: reasonOf(error) }));
    try {
      await client.connect();
      return await withSnapshot(client, signal, work);
    } catch (thrown) {
      throw this.explain(thrown);
    } finally {
      await awaitDisconnect(1_000, client.end());
    }
  }

  async size(): Promise<number> {
    const sql = 'SELECT pg_database_size(current_database()) AS bytes';
    const [row] = await this.read((connection) => connection.rows<{ bytes: number }>(sql, []));
    return row?.bytes ?? 0;
  }

  /** Creates a connection outside the pool. */
  #ownClient(): pg.Client {
    const { connectionTimeoutMillis } = limits;
    const kept = { keepAlive: true, keepAliveInitialDelayMillis: keep_alive_ms };
    return new pg.Client({ connectionString: this.#url, connectionTimeoutMillis, options: startOptions, ...kept });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await awaitDisconnect(5_000, this.#pool.end());
  }
}

/** Waits for a disconnect, within a limit and ignoring errors. */
async function awaitDisconnect(limit_ms: number, ending: Promise<void>): Promise<void> {
  await endsWithin(limit_ms, ending).catch(() => undefined);
}

async function acquire(client: pg.Client, name: string, timeout_ms: number): Promise<void> {
  // The work runs on other connections, so this one stays idle.
  await client.query('SET idle_session_timeout = 0');
  await client.query(`SET lock_timeout = ${Math.max(1, Math.round(timeout_ms))}`);
  try {
    await client.query('SELECT pg_advisory_lock($1)', [keyOf(name)]);
  } catch (thrown) {
    if (codeOf(thrown) !== '55P03') throw thrown;
    throw failData('database_busy', `Timed out after ${timeout_ms} ms waiting for the lock '${name}'`, { cause: thrown, retry_after: 1 });
  }
}

function failLost(name: string, cause: Error): Error {
  const sentence = `The lock '${name}' was lost with its connection to the PostgreSQL server (${reasonOf(cause)}) before its work ended`;
  return failData('database_unavailable', sentence, { cause, retry_after: 1 });
}

/** Returns the number of an advisory lock: 64 bits of the name's hash. */
function keyOf(name: string): string {
  return createHash('sha256').update(`platform:${name}`).digest().readBigInt64BE(0).toString();
}
