import { isFailure } from '../../contract/failure.js';
import type { Entry } from '../../contract/journal.js';
import { formatCursor, locate, type Position } from './position.js';
import type { Feed, Page } from './reader.js';

export interface RedisTopicOptions {
  topic: string;
  /** Subscribes to appends; returns the function that unsubscribes. */
  subscribe(listener: () => void): Promise<() => void>;
  /** Runs the script `read` from a position. */
  fetch(after: Position | undefined): Promise<unknown>;
  /** Parses an entry's JSON. */
  decode: (json: string) => object;
  /** Called when the last reader has left. */
  onUnwatched(): void;
}

/** A topic on Redis that this process reads. Readers share one subscription, and reads at the same position. */
export class RedisTopic {
  readonly #options: RedisTopicOptions;
  readonly #watchers = new Set<() => void>();
  readonly #reads = new Map<string, Promise<Page>>();
  #subscribed: Promise<() => void> | undefined;
  #closed = false;

  constructor(options: RedisTopicOptions) {
    this.#options = options;
  }

  get topic(): string {
    return this.#options.topic;
  }

  async watch(wake: () => void): Promise<() => void> {
    this.#watchers.add(wake);
    this.#subscribed ??= this.#options.subscribe(() => this.wake());
    const unwatch = (): void => this.#unwatch(wake);
    try {
      await this.#subscribed;
    } catch (error) {
      unwatch();
      throw error;
    }
    return unwatch;
  }

  /** Wakes all readers. Pending reads may miss the new entries, so they are no longer shared. */
  wake(): void {
    this.#reads.clear();
    for (const wake of this.#watchers) wake();
  }

  read(after: Position | undefined): Promise<Page> {
    if (this.#closed) return Promise.resolve({ entries: [], position: after, more: false, ended: true });
    const place = after ? `${after.epoch}.${after.n}` : '';
    const shared = this.#reads.get(place);
    if (shared) return shared;
    const read = this.#options.fetch(after).then((answer) => this.#page(answer as Answer, after));
    this.#reads.set(place, read);
    const forget = (): void => {
      if (this.#reads.get(place) === read) this.#reads.delete(place);
    };
    read.then(forget, forget);
    return read;
  }

  /** Ends all readers. */
  close(): void {
    this.#closed = true;
    this.wake();
  }

  #unwatch(wake: () => void): void {
    if (!this.#watchers.delete(wake) || this.#watchers.size > 0) return;
    this.#subscribed?.then((end) => end()).catch(() => {});
    this.#options.onUnwatched();
  }

  #page(answer: Answer, after: Position | undefined): Page {
    const [epoch, first, last, ended, ...fields] = answer;
    if (epoch === undefined) return { entries: [], position: undefined, more: false, ended: false };
    const { at, gap } = locate({ epoch, first, last }, after);
    if (gap) return { gap, entries: [], position: at, more: true, ended: false };
    const entries = this.#entries(epoch, fields);
    const n = at.n + entries.length;
    return { entries, position: { epoch, n }, more: n < last, ended: ended === 1 && n === last };
  }

  #entries(epoch: string, fields: readonly unknown[]): Entry[] {
    const entries: Entry[] = [];
    for (let index = 0; index + 2 < fields.length; index += 3) {
      const cursor = formatCursor(this.topic, { epoch, n: fields[index] as number });
      entries.push({ cursor, type: fields[index + 1] as string, data: this.#options.decode(fields[index + 2] as string) });
    }
    return entries;
  }
}

/** Answer of the script `read`; empty for a new topic. */
type Answer = [epoch: string, first: number, last: number, ended: number, ...fields: unknown[]] | [epoch?: undefined, ...rest: undefined[]];

const RETRY_MS = 1_000;

/** One reader's view of a topic. After its first read it survives outages of Redis. */
export class Following implements Feed {
  readonly topic: string;
  readonly #open: () => RedisTopic;
  #shared: RedisTopic | undefined;
  #wake: () => void = () => {};
  #started = false;

  constructor(topic: string, open: () => RedisTopic) {
    this.topic = topic;
    this.#open = open;
  }

  watch(wake: () => void): Promise<() => void> {
    this.#wake = wake;
    this.#shared = this.#open();
    return this.#shared.watch(wake);
  }

  async read(after: Position | undefined): Promise<Page> {
    try {
      const page = await (this.#shared ?? this.#open()).read(after);
      this.#started = true;
      return page;
    } catch (error) {
      if (!this.#started || !isFailure(error)) throw error;
      setTimeout(this.#wake, RETRY_MS).unref();
      return { entries: [], position: after, more: false, ended: false };
    }
  }
}
