import type { Database } from '../../contract/data.js';
import { Op, type RowOf } from '../../contract/models.js';
import { deletePortions } from '../../contract/sql.js';
import type { KernelModels } from '../models.js';
import type { Data } from '../ports.js';

type OutboxRow = RowOf<KernelModels['outbox']>;
type ListenerRow = RowOf<KernelModels['listeners']>;

/** A listener, and as whom a loop of it takes the lease: one that was stopped may still deliver when the next has begun. */
export type Key = readonly [extension: string, topic: string, owner: string];

export type Position = Pick<ListenerRow, 'cursor_txid' | 'cursor_id' | 'failures'>;

export interface FoundEvent extends Pick<OutboxRow, 'id' | 'txid' | 'payload' | 'emitted_at'> {
  /** Whether no open transaction may yet put an event before it. */
  settled: boolean | number;
}

/** Outbox rows removed at a time: there is no index by time. */
const portion = 5_000;
/** An instance keeps a topic so long without saying so again, in seconds of the database's clock: instances' own needn't agree. */
const lease_s = 15;

/** The number of the oldest transaction on a PostgreSQL server that is open and writes; with none, of the next. */
const oldestOpen = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint';

/**
 * Whether something stands after the position of a listener `l`: whether the newest of its topic does, which both databases find
 * by one step in the index. Asked for any that comes after it, they may read all that are kept.
 */
const hasMore = `EXISTS (SELECT 1 FROM (SELECT o.txid, o.id FROM kernel_outbox o WHERE o.topic = l.topic ORDER BY o.txid DESC, o.id DESC LIMIT 1)
  AS newest WHERE newest.txid > l.cursor_txid OR (newest.txid = l.cursor_txid AND newest.id > l.cursor_id))`;

/**
 * The outbox and the positions of those that listen to it. Its statements are text because leases use the database's clock, and because
 * the others are hot: they run for each event (the benchmarks `sends` and `notifications`).
 */
export class EventTables {
  readonly #db: Database;
  readonly #data: Pick<Data, 'models'>;
  /** The owners that belong to this process. */
  readonly #own: string;
  readonly #postgres: boolean;

  constructor(data: Pick<Data, 'facade' | 'models'>, instance: string) {
    this.#db = data.facade('kernel');
    this.#data = data;
    this.#own = `${instance}:%`;
    this.#postgres = this.#db.dialect === 'postgres';
  }

  /**
   * A listener that is new hears what is emitted from now on. On PostgreSQL that is also what transactions still emit that are open by now:
   * it begins before the oldest of these, and so may hear what younger ones have emitted shortly before.
   */
  async register(extension: string, topics: ReadonlySet<string>): Promise<void> {
    const rows = await this.#data.models.listeners.findAll({ attributes: ['topic'], where: { extension }, raw: true });
    const known = new Set(rows.map(({ topic }) => topic));
    const settled = this.#postgres ? `${oldestOpen} - 1` : '0';
    for (const topic of topics) {
      if (known.has(topic)) continue;
      // Reads the position and writes it in one statement: an event in between would be lost.
      await this.#db.run(
        'INSERT INTO kernel_listeners (extension, topic, cursor_txid, cursor_id, owner, lease_until, failures, retry_at) ' +
          `SELECT $1, $2, ${settled}, COALESCE(MAX(id), 0), '', '', 0, '' FROM kernel_outbox ` +
          'WHERE true ON CONFLICT (extension, topic) DO NOTHING',
        [extension, topic],
      );
    }
  }

  /** Whether anything stands after the listener's position: a read, so that an idle listener writes nothing. Hot: each event. */
  async waiting([extension, topic]: Key): Promise<boolean> {
    const sql = `SELECT 1 AS found FROM kernel_listeners l WHERE l.extension = $1 AND l.topic = $2 AND ${hasMore}`;
    return (await this.#db.rows(sql, [extension, topic], { often: true })).length > 0;
  }

  /**
   * All listeners for which something stands there, and whose lease could be taken by the database's clock. One that is held here may be
   * left from a fault.
   */
  allWaiting(): Promise<{ extension: string; topic: string }[]> {
    const now = this.#in('0');
    const free = `(l.owner = '' OR l.owner LIKE $1 OR l.lease_until < ${now})`;
    const sql = `SELECT l.extension, l.topic FROM kernel_listeners l WHERE ${free} AND l.retry_at <= ${now} AND ${hasMore}`;
    return this.#db.rows(sql, [this.#own], { often: true });
  }

  /** Claims the lease by the database's clock; undefined if another has it, or a failed delivery waits for its next try. */
  async claim([extension, topic, owner]: Key): Promise<Position | undefined> {
    // No other process has a database of SQLite: whoever else held it there is gone.
    const free = `(owner = $3 OR lease_until < ${this.#in('0')}${this.#postgres ? '' : ' OR owner NOT LIKE $4'})`;
    const claimed = await this.#db.run(
      `UPDATE kernel_listeners SET owner = $3, lease_until = ${this.#in(String(lease_s))} ` +
        `WHERE extension = $1 AND topic = $2 AND ${free} AND retry_at <= ${this.#in('0')}`,
      [extension, topic, owner, ...(this.#postgres ? [] : [this.#own])],
    );
    if (claimed === 0) return undefined;
    // Hot: each event.
    const sql = 'SELECT cursor_txid, cursor_id, failures FROM kernel_listeners WHERE extension = $1 AND topic = $2';
    return (await this.#db.rows<Position>(sql, [extension, topic]))[0];
  }

  /** Renews the lease by the database's clock. */
  async hold(key: Key): Promise<void> {
    const lease = this.#in(String(lease_s));
    const sql = `UPDATE kernel_listeners SET lease_until = ${lease} WHERE extension = $1 AND topic = $2 AND owner = $3`;
    await this.#db.run(sql, key);
  }

  /** Gives the lease back. Hot: each event. */
  async release(key: Key): Promise<void> {
    const sql = "UPDATE kernel_listeners SET owner = '', lease_until = '' WHERE extension = $1 AND topic = $2 AND owner = $3";
    await this.#db.run(sql, key);
  }

  /** Moves the listener past an event; false if another has taken it. Hot: each event. */
  async advance([extension, topic, owner]: Key, { txid, id }: FoundEvent): Promise<boolean> {
    const sql =
      "UPDATE kernel_listeners SET cursor_txid = $3, cursor_id = $4, failures = 0, retry_at = '' " +
      'WHERE extension = $1 AND topic = $2 AND owner = $5';
    return (await this.#db.run(sql, [extension, topic, txid, id, owner])) > 0;
  }

  /** Plans the next try by the database's clock. */
  async postpone([extension, topic, owner]: Key, { failures, wait_ms }: { failures: number; wait_ms: number }): Promise<void> {
    const sql = `UPDATE kernel_listeners SET failures = $3, retry_at = ${this.#in('$4')} WHERE extension = $1 AND topic = $2 AND owner = $5`;
    await this.#db.run(sql, [extension, topic, failures, wait_ms / 1000, owner]);
  }

  /**
   * Reads the rows after a position, in the order of their transactions. On PostgreSQL ids are given before
   * the commit, so a later id may be seen earlier: only rows older than every open transaction are settled. Hot: each event.
   */
  after(topic: string, { cursor_txid, cursor_id }: Position, limit: number): Promise<FoundEvent[]> {
    const settled = this.#postgres ? `txid < ${oldestOpen}` : 'true';
    const from = `SELECT id, txid, payload, emitted_at, ${settled} AS settled FROM kernel_outbox WHERE topic = $1`;
    const sql = `${from} AND txid = $2 AND id > $3 UNION ALL ${from} AND txid > $2 ORDER BY txid, id LIMIT ${limit}`;
    return this.#db.rows(sql, [topic, cursor_txid, cursor_id]);
  }

  /** Removes the events from before a time, heard or not; gives how many. */
  sweep(oldest: string): Promise<number> {
    return deletePortions(this.#data.models.outbox, { emitted_at: { [Op.lt]: oldest } }, portion);
  }

  /** A time so many seconds from now by the database's clock, as text. */
  #in(seconds: string): string {
    if (!this.#postgres) return `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${seconds} || ' seconds')`;
    return `to_char((clock_timestamp() + ${seconds} * interval '1 second') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  }
}

/** Adds an event to the outbox, in the transaction that runs here. Hot: each event. */
export async function addEvent(
  db: Database,
  { topic, payload, emitted_at }: Pick<OutboxRow, 'topic' | 'payload' | 'emitted_at'>,
): Promise<void> {
  await db.run('INSERT INTO kernel_outbox (topic, payload, emitted_at) VALUES ($1, $2, $3)', [topic, payload, emitted_at]);
}
