import type { Delivery } from '../../contract/extension.js';
import type { Bus } from '../../contract/journal.js';
import { within } from '../../contract/within.js';
import type { Listener } from '../catalog/draft.js';
import type { ChildLog, Data } from '../ports.js';
import { EventTables, type FoundEvent, type Key } from './events-sql.js';
import { Loop } from './loop.js';
import { OutboxWatch } from './outbox-watch.js';

export interface ListenersOptions {
  data: Data;
  bus: Bus;
  clock: { now(): number; iso(): string };
  log: ChildLog;
  /** Id of this process. */
  instance: string;
}

/** Time limit of one delivery. */
const delivery_limit_ms = 30_000;
/** Interval for renewing the lease of 15 s. */
const renew_lease_ms = 5_000;
/** First and longest wait for an open transaction that holds events back; any transaction on the database server can do so. */
const unsettled_ms = { first: 20, max: 1_000 };
/** Wait if another process has the lease or a failed delivery waits for its retry. */
const leased_retry_ms = 500;
const batch = 100;
/** Failures after which an event is skipped and logged as an error; about half an hour. */
const max_failures = 12;

interface ListenerState {
  key: Key;
  listener: Listener;
  log: Pick<ChildLog, 'warn' | 'error'>;
  /** Next wait for an open transaction that holds events back. */
  unsettled_ms: number;
}

/**
 * Delivers events from the outbox to listeners: in order, at least once, and on one instance of the cluster at a time (the one with
 * the lease on the listener's row).
 */
export class Listeners {
  readonly #options: ListenersOptions;
  readonly #watch: OutboxWatch;
  readonly #tables: EventTables;
  #loops = 0;

  constructor(options: ListenersOptions) {
    this.#options = options;
    this.#tables = new EventTables(options.data, options.instance);
    this.#watch = new OutboxWatch({ ...options, waiting: () => this.#tables.allWaiting() });
  }

  /** Returns the extensions of this process that listen to a topic. */
  of(topic: string): readonly string[] {
    return this.#watch.of(topic);
  }

  /** Registers listeners: events emitted from now on wait for them, even before they are started. */
  async register(extension: string, topics: readonly string[]): Promise<void> {
    if (topics.length > 0) await this.#tables.register(extension, new Set(topics));
  }

  /**
   * Starts a registered listener. Returns a function that stops it and waits for the running delivery.
   *
   * @param log The extension's own log, which gets its failures. Default: the log of the platform.
   */
  async start(
    extension: string,
    listener: Listener,
    log: Pick<ChildLog, 'warn' | 'error'> = this.#options.log.child({ extension }),
  ): Promise<() => Promise<void>> {
    const owner = `${this.#options.instance}:${++this.#loops}`;
    const serving: ListenerState = { key: [extension, listener.topic, owner], listener, log, unsettled_ms: unsettled_ms.first };
    const loop = new Loop(
      (signal) => this.#turn(serving, signal),
      (fault) => log.warn(`Delivery of '${listener.topic}' to '${extension}' failed; retrying`, { err: fault }),
    );
    const unwatch = await this.#watch.add({ extension, topic: listener.topic, loop });
    loop.wake();
    return async () => {
      await Promise.all([loop.stop(), unwatch()]);
    };
  }

  /** Deletes events older than a minute that all their listeners have received, because some quote texts; returns how many. */
  async sweepDelivered(): Promise<number> {
    return this.#tables.sweepDelivered(new Date(this.#options.clock.now() - 60_000).toISOString());
  }

  /** Deletes outbox rows older than seven days, delivered or not; returns how many. */
  async sweep(): Promise<number> {
    return this.#tables.sweep(new Date(this.#options.clock.now() - 7 * 24 * 3600 * 1000).toISOString());
  }

  /** Delivers one batch. Returns the wait in ms until the next run; undefined to wait for a wake-up. */
  async #turn(serving: ListenerState, signal: AbortSignal): Promise<number | undefined> {
    const { key, listener } = serving;
    if (!(await this.#tables.waiting(key))) return undefined;
    const position = await this.#tables.claim(key);
    if (!position) return leased_retry_ms;
    const beat = setInterval(() => void this.#tables.renew(key).catch(() => undefined), renew_lease_ms);
    try {
      const found = await this.#tables.after(listener.topic, position, batch);
      const rows = found.filter(({ settled }) => settled);
      const later_ms = await this.#deliverAll(serving, { rows, failures: position.failures, signal });
      if (rows.length > 0) serving.unsettled_ms = unsettled_ms.first;
      if (later_ms !== undefined) return later_ms;
      // An older open transaction may still commit an event before the remaining ones.
      if (rows.length < found.length) return nextBackoff(serving);
      return found.length === batch ? 0 : undefined;
    } finally {
      clearInterval(beat);
      await this.#tables.release(key);
    }
  }

  /** Delivers rows in order until stopped. Returns the wait in ms before a failed delivery is retried. */
  async #deliverAll(
    { key, listener, log }: ListenerState,
    { rows, failures, signal }: { rows: readonly FoundEvent[]; failures: number; signal: AbortSignal },
  ): Promise<number | undefined> {
    let before = failures;
    for (const row of rows) {
      if (signal.aborted) return undefined;
      if (!(await this.#deliver({ listener, log }, row, before))) return this.#postpone(key, before + 1);
      before = 0;
      // The lease expired while this process was blocked: the new owner delivers the rest.
      if (!(await this.#tables.advance(key, row))) return leased_retry_ms;
    }
    return undefined;
  }

  async #deliver({ listener, log }: Pick<ListenerState, 'listener' | 'log'>, row: FoundEvent, failures: number): Promise<boolean> {
    const cursor = `${String(row.txid).padStart(20, '0')}.${String(row.id).padStart(20, '0')}`;
    try {
      const delivery: Delivery<unknown> = { payload: JSON.parse(row.payload), cursor, emitted_at: row.emitted_at };
      await within(delivery_limit_ms, listener.handler(delivery), () => {
        throw new Error(`The listener of '${listener.topic}' timed out after ${delivery_limit_ms / 1000} s`);
      });
      return true;
    } catch (fault) {
      if (failures + 1 < max_failures) {
        log.warn(`A listener of '${listener.topic}' failed; the event will be delivered again`, { err: fault, failures: failures + 1 });
        return false;
      }
      log.error(`A listener of '${listener.topic}' failed ${max_failures} times; the event is skipped`, { err: fault, cursor });
      return true;
    }
  }

  async #postpone(key: Key, failures: number): Promise<number> {
    const wait_ms = Math.min(1000 * 2 ** (failures - 1), 600_000);
    await this.#tables.postpone(key, { failures, wait_ms });
    return wait_ms;
  }
}

/** Returns the wait and doubles the next one, up to the limit. */
function nextBackoff(serving: ListenerState): number {
  const wait_ms = serving.unsettled_ms;
  serving.unsettled_ms = Math.min(2 * wait_ms, unsettled_ms.max);
  return wait_ms;
}
