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
  /** Names this process. */
  instance: string;
}

/** How long a delivery may take. */
const patience_ms = 30_000;
/** How often the lease of 15 s is renewed. */
const beat_ms = 5_000;
/** How soon it looks again where an open transaction holds back what is there, and how late while that stays so: any on the server may. */
const unsettled_ms = { first: 20, max: 1_000 };
/** How soon it looks again where another delivers, or a failed delivery waits for its next try. */
const taken_ms = 500;
const batch = 100;
/** After this many failures of one delivery (in about half an hour) it is left out, loudly. */
const max_failures = 12;

interface Serving {
  key: Key;
  listener: Listener;
  /** How long it waits the next time that all that is there is held back. */
  unsettled_ms: number;
}

/**
 * Brings what stands in the outbox to those who listen: in order, at least once, on one instance of
 * the cluster at a time (whoever holds the lease on the listener's row).
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

  /** The extensions of this process that listen to a topic now. */
  of(topic: string): readonly string[] {
    return this.#watch.of(topic);
  }

  /** From now on emitted events wait for these listeners, even before they are started. */
  async register(extension: string, topics: readonly string[]): Promise<void> {
    if (topics.length > 0) await this.#tables.register(extension, new Set(topics));
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
    return this.#tables.sweep(new Date(this.#options.clock.now() - 7 * 24 * 3600 * 1000).toISOString());
  }

  /** Delivers one batch; gives in how many ms the next turn makes sense, undefined for when something happens. */
  async #turn(serving: Serving, signal: AbortSignal): Promise<number | undefined> {
    const { key, listener } = serving;
    if (!(await this.#tables.waiting(key))) return undefined;
    const position = await this.#tables.claim(key);
    if (!position) return taken_ms;
    const beat = setInterval(() => void this.#tables.hold(key).catch(() => undefined), beat_ms);
    try {
      const found = await this.#tables.after(listener.topic, position, batch);
      const rows = found.filter(({ settled }) => settled);
      const later_ms = await this.#deliverAll(key, listener, { rows, failures: position.failures, signal });
      if (rows.length > 0) serving.unsettled_ms = unsettled_ms.first;
      if (later_ms !== undefined) return later_ms;
      // More is there, but an older transaction is still open: it may yet put one before them.
      if (rows.length < found.length) return longer(serving);
      return found.length === batch ? 0 : undefined;
    } finally {
      clearInterval(beat);
      await this.#tables.release(key);
    }
  }

  /** Delivers rows in order, until it is stopped; after one that fails gives in how many ms it is tried again. */
  async #deliverAll(
    key: Key,
    listener: Listener,
    { rows, failures, signal }: { rows: readonly FoundEvent[]; failures: number; signal: AbortSignal },
  ): Promise<number | undefined> {
    let before = failures;
    for (const row of rows) {
      if (signal.aborted) return undefined;
      if (!(await this.#deliver(listener, row, before))) return this.#postpone(key, before + 1);
      before = 0;
      // Where another has it by now, because this one stood still, that one delivers the rest.
      if (!(await this.#tables.advance(key, row))) return taken_ms;
    }
    return undefined;
  }

  async #deliver(listener: Listener, row: FoundEvent, failures: number): Promise<boolean> {
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

  async #postpone(key: Key, failures: number): Promise<number> {
    const wait_ms = Math.min(1000 * 2 ** (failures - 1), 600_000);
    await this.#tables.postpone(key, { failures, wait_ms });
    return wait_ms;
  }
}

/** Twice as long each time. */
function longer(serving: Serving): number {
  const wait_ms = serving.unsettled_ms;
  serving.unsettled_ms = Math.min(2 * wait_ms, unsettled_ms.max);
  return wait_ms;
}
