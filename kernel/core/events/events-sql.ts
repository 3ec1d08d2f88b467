import type { Database } from '../../contract/data.js';
import { Op, type RowOf } from '../../contract/models.js';
import { deletePortions } from '../../contract/sql.js';
import type { KernelModels } from '../models.js';
import type { Data } from '../ports.js';

type OutboxRow = RowOf<KernelModels['outbox']>;
type ListenerRow = RowOf<KernelModels['listeners']>;

/** A listener and the lease owner. Each loop has its own owner, because a stopped loop may still deliver when the next one starts. */
export type Key = readonly [extension: string, topic: string, owner: string];

export type Position = Pick<ListenerRow, 'cursor_txid' | 'cursor_id' | 'failures'>;

export interface FoundEvent extends Pick<OutboxRow, 'id' | 'txid' | 'payload' | 'emitted_at'> {
  /** True if no open transaction can still commit an event before this one. */
  settled: boolean | number;
}

/** Outbox rows deleted per statement: no index by time exists. */
const portion = 5_000;
/** Delivered events found and deleted at once. */
const delivered_portion = 500;
/** Duration of a lease without renewal, in seconds of the database's clock, because the clocks of instances may differ. */
const lease_s = 15;

/** Number of the oldest open writing transaction on the PostgreSQL server; if none is open, of the next transaction. */
const oldestOpen = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint';

/**
 * Condition: events exist after the position of a listener `l`. It compares only the newest event of the topic, which both
 * databases find by one index lookup; a search for any later event may read every stored one.
 */
const hasMore = `EXISTS (SELECT 1 FROM (SELECT o.txid, o.id FROM kernel_outbox o WHERE o.topic = l.topic ORDER BY o.txid DESC, o.id DESC LIMIT 1)
  AS newest WHERE newest.txid > l.cursor_txid OR (newest.txid = l.cursor_txid AND newest.id > l.cursor_id))`;

/**
 * The outbox and the positions of its listeners. Statements are plain SQL because leases use the database's clock and the others
 * are hot: they run for each event (benchmarks `sends` and `notifications`).
 */
export class EventTables {
  readonly #db: Database;
  readonly #data: Pick<Data, 'models'>;
  /** LIKE pattern of the lease owners in this process. */
  readonly #own: string;
  readonly #postgres: boolean;

  constructor(data: Pick<Data, 'facade' | 'models'>, instance: string) {
    this.#db = data.facade('kernel');
    this.#data = data;
    this.#own = `${instance}:%`;
    this.#postgres = this.#db.dialect === 'postgres';
  }

  /**
   * Registers listeners; a new one receives events from now on. On PostgreSQL it starts before the oldest open transaction, so that it
   * also receives what that one emits later, and possibly events that younger transactions have just committed.
   */
  async register(extension: string, topics: ReadonlySet<string>): Promise<void> {
    const rows = await this.#data.models.listeners.findAll({ attributes: ['topic'], where: { extension }, raw: true });
    const known = new Set(rows.map(({ topic }) => topic));
    const settled = this.#postgres ? `${oldestOpen} - 1` : '0';
    for (const topic of topics) {
      if (known.has(topic)) continue;
      // One statement reads and writes the position: an event between two statements would be lost.
      await this.#db.run(
        'INSERT INTO kernel_listeners (extension, topic, cursor_txid, cursor_id, owner, lease_until, failures, retry_at) ' +
          `SELECT $1, $2, ${settled}, COALESCE(MAX(id), 0), '', '', 0, '' FROM kernel_outbox ` +
          'WHERE true ON CONFLICT (extension, topic) DO NOTHING',
        [extension, topic],
      );
    }
  }

  /** Returns whether events wait for the listener. Reads only, so that an idle listener writes nothing. Hot: runs for each event. */
  async waiting([extension, topic]: Key): Promise<boolean> {
    const sql = `SELECT 1 AS found FROM kernel_listeners l WHERE l.extension = $1 AND l.topic = $2 AND ${hasMore}`;
    return (await this.#db.rows(sql, [extension, topic], { often: true })).length > 0;
  }

  /**
   * Returns all listeners with waiting events whose lease is free or expired by the database's clock. Leases of this process count as
   * free: a fault may have left one behind.
   */
  allWaiting(): Promise<{ extension: string; topic: string }[]> {
    const now = this.#in('0');
    const free = `(l.owner = '' OR l.owner LIKE $1 OR l.lease_until < ${now})`;
    const sql = `SELECT l.extension, l.topic FROM kernel_listeners l WHERE ${free} AND l.retry_at <= ${now} AND ${hasMore}`;
    return this.#db.rows(sql, [this.#own], { often: true });
  }

  /** Claims the lease by the database's clock; undefined if another owner has it or a failed delivery waits for its retry. */
  async claim([extension, topic, owner]: Key): Promise<Position | undefined> {
    // Only one process uses an SQLite database, so any other owner there is gone.
    const free = `(owner = $3 OR lease_until < ${this.#in('0')}${this.#postgres ? '' : ' OR owner NOT LIKE $4'})`;
    const claimed = await this.#db.run(
      `UPDATE kernel_listeners SET owner = $3, lease_until = ${this.#in(String(lease_s))} ` +
        `WHERE extension = $1 AND topic = $2 AND ${free} AND retry_at <= ${this.#in('0')}`,
      [extension, topic, owner, ...(this.#postgres ? [] : [this.#own])],
    );
    if (claimed === 0) return undefined;
    // Hot: runs for each event.
    const sql = 'SELECT cursor_txid, cursor_id, failures FROM kernel_listeners WHERE extension = $1 AND topic = $2';
    return (await this.#db.rows<Position>(sql, [extension, topic]))[0];
  }

  /** Renews the lease by the database's clock. */
  async renew(key: Key): Promise<void> {
    const lease = this.#in(String(lease_s));
    const sql = `UPDATE kernel_listeners SET lease_until = ${lease} WHERE extension = $1 AND topic = $2 AND owner = $3`;
    await this.#db.run(sql, key);
  }

  /** Releases the lease. Hot: runs for each event. */
  async release(key: Key): Promise<void> {
    const sql = "UPDATE kernel_listeners SET owner = '', lease_until = '' WHERE extension = $1 AND topic = $2 AND owner = $3";
    await this.#db.run(sql, key);
  }

  /** Moves the listener past an event; false if another owner has claimed the lease. Hot: runs for each event. */
  async advance([extension, topic, owner]: Key, { txid, id }: FoundEvent): Promise<boolean> {
    const sql =
      "UPDATE kernel_listeners SET cursor_txid = $3, cursor_id = $4, failures = 0, retry_at = '' " +
      'WHERE extension = $1 AND topic = $2 AND owner = $5';
    return (await this.#db.run(sql, [extension, topic, txid, id, owner])) > 0;
  }

  /** Schedules the retry by the database's clock. */
  async postpone([extension, topic, owner]: Key, { failures, wait_ms }: { failures: number; wait_ms: number }): Promise<void> {
    const sql = `UPDATE kernel_listeners SET failures = $3, retry_at = ${this.#in('$4')} WHERE extension = $1 AND topic = $2 AND owner = $5`;
    await this.#db.run(sql, [extension, topic, failures, wait_ms / 1000, owner]);
  }

  /**
   * Reads the rows after a position in the order of their transactions. PostgreSQL assigns ids before the commit, so a later id may
   * become visible first: only rows older than every open transaction are settled. Hot: runs for each event.
   */
  after(topic: string, { cursor_txid, cursor_id }: Position, limit: number): Promise<FoundEvent[]> {
    const settled = this.#postgres ? `txid < ${oldestOpen}` : 'true';
    const from = `SELECT id, txid, payload, emitted_at, ${settled} AS settled FROM kernel_outbox WHERE topic = $1`;
    const sql = `${from} AND txid = $2 AND id > $3 UNION ALL ${from} AND txid > $2 ORDER BY txid, id LIMIT ${limit}`;
    return this.#db.rows(sql, [topic, cursor_txid, cursor_id]);
  }

  /**
   * Deletes events older than a time that all their listeners have received; returns how many. Plain SQL, because it compares pairs; a separate
   * read, because events may wait for a stopped listener for days, and on SQLite searching through them would block writers.
   */
  async sweepDelivered(oldest: string): Promise<number> {
    const waiting = 'SELECT 1 FROM kernel_listeners l WHERE l.topic = o.topic AND (l.cursor_txid, l.cursor_id) < (o.txid, o.id)';
    const sql = `SELECT o.id FROM kernel_outbox o WHERE o.emitted_at < $1 AND NOT EXISTS (${waiting}) LIMIT ${delivered_portion}`;
    for (let deleted = 0; ; ) {
      const found = await this.#db.rows<{ id: number }>(sql, [oldest]);
      if (found.length > 0) deleted += await this.#data.models.outbox.destroy({ where: { id: found.map(({ id }) => id) } });
      if (found.length < delivered_portion) return deleted;
    }
  }

  /** Deletes events older than a time, delivered or not; returns how many. */
  sweep(oldest: string): Promise<number> {
    return deletePortions(this.#data.models.outbox, { emitted_at: { [Op.lt]: oldest } }, portion);
  }

  /** Returns the SQL of a time in `seconds` from now by the database's clock, as text. */
  #in(seconds: string): string {
    if (!this.#postgres) return `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${seconds} || ' seconds')`;
    return `to_char((clock_timestamp() + ${seconds} * interval '1 second') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  }
}

/** Adds an event to the outbox within the current transaction. Hot: runs for each event. */
export async function addEvent(
  db: Database,
  { topic, payload, emitted_at }: Pick<OutboxRow, 'topic' | 'payload' | 'emitted_at'>,
): Promise<void> {
  await db.run('INSERT INTO kernel_outbox (topic, payload, emitted_at) VALUES ($1, $2, $3)', [topic, payload, emitted_at]);
}
