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
  /** How many connections it keeps at most. */
  connections: number;
  /** Their name at the server, at most 63 characters. Default: `platform`. */
  name?: string;
  log: Log;
  /** How long a statement may take. Default 30,000. */
  statement_ms?: number;
}

/** A connection that says nothing for so long is asked whether it lives. */
const keep_alive_ms = 10_000;
/** Waits of one connection, in ms. */
const limits = {
  connectionTimeoutMillis: 15_000,
  idle_in_transaction_session_timeout: 60_000,
};
/**
 * By which the server finds out that a client is gone: a machine that fails says no goodbye, and a statement that waits for a lock
 * doesn't look whether somebody still waits for it. Otherwise its locks and its place are kept for two hours, or until
 * the statement's end.
 */
const watched = ['tcp_keepalives_idle=10', 'tcp_keepalives_interval=5', 'tcp_keepalives_count=3', 'client_connection_check_interval=2s'];
/** Sequelize writes values of conditions into statements, escaped as the SQL standard says. A server may be configured otherwise. */
const standard = 'standard_conforming_strings=on';
const startOptions = [...watched, standard].map((setting) => `-c ${setting}`).join(' ');
/** Sorting a table of millions of rows may take minutes. */
const patient_ms = 1_800_000;
/** The client gives up so much later than the server should have. */
const answer_ms = 10_000;

/** Connects lazily: the first statement finds out whether the server is there. */
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
      // The client's own, for a network that swallows everything.
      query_timeout: statement_ms + answer_ms,
      connectionString: url,
      max: connections,
      idleTimeoutMillis: 10_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: keep_alive_ms,
      options: startOptions,
      application_name: name,
    });
    // An idle connection that breaks is dropped by the pool; unheard, its error would end the process.
    this.#pool.on('error', (error) => log.warn('an idle connection to the database was lost', { reason: reasonOf(error) }));
  }

  /**
   * A read whose connection turns out to be dead (a server that was restarted) gets another one, once;
   * a moment later, so that the pool has noticed which of its idle ones are dead too.
   */
  async read<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    try {
      return await this.write(work);
    } catch (thrown) {
      if (this.#closed || !isLost(thrown)) throw thrown;
      this.#log.warn('the connection to the database was lost; the read is tried again', { reason: reasonOf(thrown) });
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

  /** On a connection of its own: the client's limit is the pool's. */
  async patiently<T>(work: (driver: Driver) => Promise<T>): Promise<T> {
    const patient = { url: this.#url, name: this.#name, log: this.#log, connections: 1, statement_ms: patient_ms };
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
   * On a connection of its own, so that holding a lock never takes a place in the pool. With it the lock is lost: who waits for
   * the work is told so at once, as somebody else may do the same by now.
   */
  async lock<T>(name: string, work: () => Promise<T>, timeout_ms: number): Promise<T> {
    const client = this.#ownClient();
    const lost = new Promise<never>((_resolve, reject) => {
      client.on('error', (error) => {
        this.#log.error('the connection that holds a lock was lost', { lock: name, reason: reasonOf(error) });
        reject(failLost(name, error));
      });
    });
    // While it connects and ends, nobody waits for it.
    lost.catch(() => undefined);
    try {
      await client.connect();
      await acquire(client, name, timeout_ms);
      return await Promise.race([work(), lost]);
    } catch (thrown) {
      throw this.explain(thrown);
    } finally {
      await ended(1_000, client.end());
    }
  }

  /** On a connection of its own, as {@link lock}. */
  async snapshot<T>({ signal }: SnapshotOptions, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const client = this.#ownClient();
    client.on('error', (error) => this.#log.error('the connection of a snapshot was lost', { reason: reasonOf(error) }));
    try {
      await client.connect();
      return await withSnapshot(client, signal, work);
    } catch (thrown) {
      throw this.explain(thrown);
    } finally {
      await ended(1_000, client.end());
    }
  }

  async size(): Promise<number> {
    const sql = 'SELECT pg_database_size(current_database()) AS bytes';
    const [row] = await this.read((connection) => connection.rows<{ bytes: number }>(sql, []));
    return row?.bytes ?? 0;
  }

  /** A connection beside the pool. */
  #ownClient(): pg.Client {
    const { connectionTimeoutMillis } = limits;
    const kept = { keepAlive: true, keepAliveInitialDelayMillis: keep_alive_ms };
    return new pg.Client({ connectionString: this.#url, connectionTimeoutMillis, options: startOptions, ...kept });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await ended(5_000, this.#pool.end());
  }
}

/** A goodbye that nobody answers, or that fails, must not hold up the end. */
async function ended(limit_ms: number, ending: Promise<void>): Promise<void> {
  await endsWithin(limit_ms, ending).catch(() => undefined);
}

async function acquire(client: pg.Client, name: string, timeout_ms: number): Promise<void> {
  // The work runs on other connections: this one says nothing meanwhile.
  await client.query('SET idle_session_timeout = 0');
  await client.query(`SET lock_timeout = ${Math.max(1, Math.round(timeout_ms))}`);
  try {
    await client.query('SELECT pg_advisory_lock($1)', [keyOf(name)]);
  } catch (thrown) {
    if (codeOf(thrown) !== '55P03') throw thrown;
    throw failData('database_busy', `Waited ${timeout_ms} ms for the lock '${name}' without getting it`, { cause: thrown, retry_after: 1 });
  }
}

function failLost(name: string, cause: Error): Error {
  const sentence = `The lock '${name}' was lost with its connection to the PostgreSQL server (${reasonOf(cause)}) before its work had ended`;
  return failData('database_unavailable', sentence, { cause, retry_after: 1 });
}

/** Advisory locks have 64-bit numbers for names. */
function keyOf(name: string): string {
  return createHash('sha256').update(`platform:${name}`).digest().readBigInt64BE(0).toString();
}
