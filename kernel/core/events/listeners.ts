import type { Delivery } from '../../contract/extension.js';
import type { Bus } from '../../contract/journal.js';
import { within } from '../../contract/within.js';
import type { Listener } from '../catalog/draft.js';
import type { ChildLog, Data } from '../ports.js';
import { Loop } from './loop.js';
import { OutboxWatch } from './outbox-watch.js';
import { deleteAll } from './portions.js';

export interface ListenersOptions {
  data: Data;
  bus: Bus;
  clock: { now(): number; iso(): string };
  log: ChildLog;
  /** Names this process. */
  instance: string;
}

/** How long a delivery may take. */
const patience_ms = 30_000;
/** An instance keeps a topic so long without saying so again, in seconds of the database's clock: instances' own needn't agree. */
const lease_s = 15;
const beat_ms = 5_000;
/** How soon it looks again where an open transaction holds back what is there, and how late while that stays so: any on the server may. */
const unsettled_ms = { first: 20, max: 1_000 };
/** How soon it looks again where another delivers, or a failed delivery waits for its next try. */
const taken_ms = 500;
const batch = 100;
/** Outbox rows removed at a time, so that other writers get their turn in between. */
const portion = 5_000;
/** After this many failures of one delivery (in about half an hour) it is left out, loudly. */
const max_failures = 12;

/** The number of the oldest transaction on a PostgreSQL server that is open and writes; with none, of the next. */
const oldestOpen = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint';

/**
 * Whether something stands after the position of a listener `l`: whether the newest of its topic does, which both databases find
 * by one step in the index. Asked for any that comes after it, they may read all that are kept.
 */
const hasMore = `EXISTS (SELECT 1 FROM (SELECT o.txid, o.id FROM kernel_outbox o WHERE o.topic = l.topic ORDER BY o.txid DESC, o.id DESC LIMIT 1)
  AS newest WHERE newest.txid > l.cursor_txid OR (newest.txid = l.cursor_txid AND newest.id > l.cursor_id))`;

interface Position {
  cursor_txid: number;
  cursor_id: number;
  failures: number;
}

/** A listener, and as whom a loop of it takes the lease: one that was stopped may still deliver when the next has begun. */
type Key = readonly [extension: string, topic: string, owner: string];

interface Serving {
  key: Key;
  listener: Listener;
  /** How long it waits the next time that all that is there is held back. */
  unsettled_ms: number;
}

interface Row {
  id: number;
  txid: number;
  payload: string;
  emitted_at: string;
  settled: boolean | number;
}

/**
 * Brings what stands in the outbox to those who listen: in order, at least once, on one instance of
 * the cluster at a time (whoever holds the lease on the listener's row).
 */
export class Listeners {
  readonly #options: ListenersOptions;
  readonly #watch: OutboxWatch;
  /** A time so many seconds from now, as text. */
  readonly #in: (seconds: string) => string;
  #loops = 0;

  constructor(options: ListenersOptions) {
    this.#options = options;
    this.#in = options.data.dialect === 'postgres' ? postgresTime : sqliteTime;
    this.#watch = new OutboxWatch({ ...options, waiting: () => this.#allWaiting() });
  }

  /** The extensions of this process that listen to a topic now. */
  of(topic: string): readonly string[] {
    return this.#watch.of(topic);
  }

  /** What is emitted from now on waits for these listeners, also before they are started. */
  async register(extension: string, topics: readonly string[]): Promise<void> {
    if (topics.length === 0) return;
    const rows = await this.#db.rows<{ topic: string }>('SELECT topic FROM kernel_listeners WHERE extension = $1', [extension]);
    const known = new Set(rows.map(({ topic }) => topic));
    for (const topic of new Set(topics)) if (!known.has(topic)) await this.#register(extension, topic);
  }

  /** Starts one listener that is registered; gives a function that ends it and waits for the delivery under way. */
  async start(extension: string, listener: Listener): Promise<() => Promise<void>> {
    const owner = `${this.#options.instance}:${++this.#loops}`;
    const serving: Serving = { key: [extension, listener.topic, owner], listener, unsettled_ms: unsettled_ms.first };
    const loop = new Loop(
      (signal) => this.#turn(serving, signal),
      (fault) => this.#options.log.warn(`The listener of '${listener.topic}' can't be served just now`, { err: fault }),
    );
    const unwatch = await this.#watch.add({ extension, topic: listener.topic, loop });
    loop.wake();
    return async () => {
      await Promise.all([loop.stop(), unwatch()]);
    };
  }

  /** Removes the outbox rows that are older than seven days, heard or not; gives how many. */
  async sweep(): Promise<number> {
    const oldest = new Date(this.#options.clock.now() - 7 * 24 * 3600 * 1000).toISOString();
    const sql = `DELETE FROM kernel_outbox WHERE id IN (SELECT id FROM kernel_outbox WHERE emitted_at < $1 LIMIT ${portion})`;
    return deleteAll(this.#db, { sql, values: [oldest], portion });
  }

  /** Which owners are of this process. */
  get #own() {
    return `${this.#options.instance}:%`;
  }

  get #db() {
    return this.#options.data.facade('kernel');
  }

  /**
   * A listener that is new hears what is emitted from now on. On PostgreSQL that is also what transactions still emit that are open by now:
   * it begins before the oldest of these, and so may hear what younger ones have emitted shortly before.
   */
  async #register(extension: string, topic: string): Promise<void> {
    const settled = this.#options.data.dialect === 'postgres' ? `${oldestOpen} - 1` : '0';
    await this.#db.run(
      'INSERT INTO kernel_listeners (extension, topic, cursor_txid, cursor_id, owner, lease_until, failures, retry_at) ' +
        `SELECT $1, $2, ${settled}, COALESCE(MAX(id), 0), '', '', 0, '' FROM kernel_outbox ` +
        'WHERE true ON CONFLICT (extension, topic) DO NOTHING',
      [extension, topic],
    );
  }

  /** Delivers one batch; gives in how many ms the next turn makes sense, undefined for when something happens. */
  async #turn(serving: Serving, signal: AbortSignal): Promise<number | undefined> {
    const { key, listener } = serving;
    if (!(await this.#waiting(key))) return undefined;
    const position = await this.#claim(key);
    if (!position) return taken_ms;
    const beat = setInterval(() => void this.#hold(key).catch(() => undefined), beat_ms);
    try {
      const found = await this.#after(listener.topic, position);
      const rows = found.filter(({ settled }) => settled);
      const later_ms = await this.#deliverAll(key, listener, { rows, failures: position.failures, signal });
      if (rows.length > 0) serving.unsettled_ms = unsettled_ms.first;
      if (later_ms !== undefined) return later_ms;
      // More is there, but an older transaction is still open: it may yet put one before them.
      if (rows.length < found.length) return longer(serving);
      return found.length === batch ? 0 : undefined;
    } finally {
      clearInterval(beat);
      await this.#release(key);
    }
  }

  /** Delivers rows in order, until it is stopped; after one that fails gives in how many ms it is tried again. */
  async #deliverAll(
    key: Key,
    listener: Listener,
    { rows, failures, signal }: { rows: readonly Row[]; failures: number; signal: AbortSignal },
  ): Promise<number | undefined> {
    let before = failures;
    for (const row of rows) {
      if (signal.aborted) return undefined;
      if (!(await this.#deliver(listener, row, before))) return this.#postpone(key, before + 1);
      before = 0;
      // Where another has it by now, because this one stood still, that one delivers the rest.
      if (!(await this.#advance(key, row))) return taken_ms;
    }
    return undefined;
  }

  /** Whether anything stands after the listener's position: a read, so that an idle listener writes nothing. */
  async #waiting([extension, topic]: Key): Promise<boolean> {
    const sql = `SELECT 1 AS found FROM kernel_listeners l WHERE l.extension = $1 AND l.topic = $2 AND ${hasMore}`;
    return (await this.#db.rows(sql, [extension, topic], { often: true })).length > 0;
  }

  /** All listeners for which something stands there, and whose lease could be taken. One that is held here may be left from a fault. */
  async #allWaiting(): Promise<{ extension: string; topic: string }[]> {
    const now = this.#in('0');
    const free = `(l.owner = '' OR l.owner LIKE $1 OR l.lease_until < ${now})`;
    const sql = `SELECT l.extension, l.topic FROM kernel_listeners l WHERE ${free} AND l.retry_at <= ${now} AND ${hasMore}`;
    return this.#db.rows(sql, [this.#own], { often: true });
  }

  /** Takes the lease; undefined where another has it, or a failed delivery waits for its next try. */
  async #claim([extension, topic, owner]: Key): Promise<Position | undefined> {
    // No other process has a database of SQLite: whoever else held it there is gone.
    const isAlone = this.#options.data.dialect === 'sqlite';
    const free = `(owner = $3 OR lease_until < ${this.#in('0')}${isAlone ? ' OR owner NOT LIKE $4' : ''})`;
    const claimed = await this.#db.run(
      `UPDATE kernel_listeners SET owner = $3, lease_until = ${this.#in(String(lease_s))} ` +
        `WHERE extension = $1 AND topic = $2 AND ${free} AND retry_at <= ${this.#in('0')}`,
      [extension, topic, owner, ...(isAlone ? [this.#own] : [])],
    );
    if (claimed === 0) return undefined;
    const sql = 'SELECT cursor_txid, cursor_id, failures FROM kernel_listeners WHERE extension = $1 AND topic = $2';
    const [row] = await this.#db.rows<Position>(sql, [extension, topic]);
    return row && { cursor_txid: Number(row.cursor_txid), cursor_id: Number(row.cursor_id), failures: row.failures };
  }

  async #hold(key: Key): Promise<void> {
    const lease = this.#in(String(lease_s));
    const sql = `UPDATE kernel_listeners SET lease_until = ${lease} WHERE extension = $1 AND topic = $2 AND owner = $3`;
    await this.#db.run(sql, key);
  }

  /**
   * The rows after a position, in the order of their transactions. On PostgreSQL ids are given before
   * the commit, so a later id may be seen earlier: only rows older than every open transaction are settled.
   */
  async #after(topic: string, { cursor_txid, cursor_id }: Position): Promise<Row[]> {
    const settled = this.#options.data.dialect === 'postgres' ? `txid < ${oldestOpen}` : 'true';
    const from = `SELECT id, txid, payload, emitted_at, ${settled} AS settled FROM kernel_outbox WHERE topic = $1`;
    return this.#db.rows<Row>(`${from} AND txid = $2 AND id > $3 UNION ALL ${from} AND txid > $2 ORDER BY txid, id LIMIT ${batch}`, [
      topic,
      cursor_txid,
      cursor_id,
    ]);
  }

  async #deliver(listener: Listener, row: Row, failures: number): Promise<boolean> {
    const { log } = this.#options;
    const cursor = `${String(row.txid).padStart(20, '0')}.${String(row.id).padStart(20, '0')}`;
    try {
      const delivery: Delivery<unknown> = { payload: JSON.parse(row.payload), cursor, emitted_at: row.emitted_at };
      await within(patience_ms, listener.handler(delivery), () => {
        throw new Error(`The listener of '${listener.topic}' took longer than ${patience_ms / 1000} s`);
      });
      return true;
    } catch (fault) {
      if (failures + 1 < max_failures) {
        log.warn(`A listener of '${listener.topic}' failed and will be asked again`, { err: fault, failures: failures + 1 });
        return false;
      }
      log.error(`A listener of '${listener.topic}' failed ${max_failures} times: the event is left out`, { err: fault, cursor });
      return true;
    }
  }

  /** False where another has taken the listener. */
  async #advance([extension, topic, owner]: Key, row: Row): Promise<boolean> {
    const advanced = await this.#db.run(
      "UPDATE kernel_listeners SET cursor_txid = $3, cursor_id = $4, failures = 0, retry_at = '' " +
        'WHERE extension = $1 AND topic = $2 AND owner = $5',
      [extension, topic, row.txid, row.id, owner],
    );
    return advanced > 0;
  }

  async #postpone([extension, topic, owner]: Key, failures: number): Promise<number> {
    const wait_ms = Math.min(1000 * 2 ** (failures - 1), 600_000);
    const sql = `UPDATE kernel_listeners SET failures = $3, retry_at = ${this.#in('$4')} WHERE extension = $1 AND topic = $2 AND owner = $5`;
    await this.#db.run(sql, [extension, topic, failures, wait_ms / 1000, owner]);
    return wait_ms;
  }

  async #release(key: Key): Promise<void> {
    const sql = "UPDATE kernel_listeners SET owner = '', lease_until = '' WHERE extension = $1 AND topic = $2 AND owner = $3";
    await this.#db.run(sql, key);
  }
}

/** Twice as long each time. */
function longer(serving: Serving): number {
  const wait_ms = serving.unsettled_ms;
  serving.unsettled_ms = Math.min(2 * wait_ms, unsettled_ms.max);
  return wait_ms;
}

function postgresTime(seconds: string): string {
  return `to_char((clock_timestamp() + ${seconds} * interval '1 second') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

function sqliteTime(seconds: string): string {
  return `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ${seconds} || ' seconds')`;
}
