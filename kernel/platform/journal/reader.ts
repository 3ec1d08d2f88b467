import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import type { Entry, FollowOptions, Gap } from '../../contract/journal.js';
import { formatCursor, type Position, parseCursor } from './position.js';

/** A read result after a position: a gap, or entries and the position after them. */
export interface Page {
  readonly gap?: boolean;
  readonly entries: readonly Entry[];
  /** Position after the last entry, or at the end of the gap. Undefined while the topic has no entries. */
  readonly position: Position | undefined;
  /** Whether the topic had more entries after these when they were read. A later one wakes the reader. */
  readonly more: boolean;
  /** Whether the topic has ended after these entries. */
  readonly ended: boolean;
}

/** A topic as readers see it, implemented by each driver. */
export interface Feed {
  readonly topic: string;
  /** Calls `wake` whenever there may be more to read; returns the function that stops it. */
  watch(wake: () => void): (() => void) | Promise<() => void>;
  /** Reads a limited number of entries after a position; undefined means from the first entry. */
  read(after: Position | undefined): Page | Promise<Page>;
}

export type Item = Entry | (Gap & { data?: undefined });
type Step = IteratorResult<Item, undefined>;

const DONE: Step = { done: true, value: undefined };
const EMPTY: Page = { entries: [], position: undefined, more: false, ended: false };

interface Asker {
  resolve(step: Step): void;
  reject(fault: unknown): void;
}

/**
 * Follows one topic: reads a page, yields its entries, reads the next, waits for a wake-up.
 * Not a generator, whose `return()` would wait for a pending `next()`, and without
 * an asynchronous step if a page is available at once: hundreds of replies have thousands of entries a second.
 */
export class Reader implements AsyncIterableIterator<Item> {
  readonly #feed: Feed;
  readonly #signal: AbortSignal | undefined;
  #page: Page = EMPTY;
  #index = 0;
  #started = false;
  #closed = false;
  #news = true;
  /** Whether an asynchronous step is pending, which continues by itself. */
  #busy = false;
  #asker: Asker | undefined;
  #unwatch: (() => void) | undefined;
  readonly #abort = (): void => this.#close();

  constructor(feed: Feed, options: FollowOptions) {
    this.#feed = feed;
    this.#signal = options.signal;
    if (options.after !== undefined) this.#page = { ...EMPTY, position: parseCursor(feed.topic, options.after) };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Step> {
    if (this.#closed) return Promise.resolve(DONE);
    const entry = this.#take();
    if (entry) return Promise.resolve({ done: false, value: entry });
    assert(!this.#asker, `A reader of '${this.#feed.topic}' is asked for its next entry before it gave the last`);
    return new Promise((resolve, reject) => {
      this.#asker = { resolve, reject };
      this.#go();
    });
  }

  return(): Promise<Step> {
    this.#close();
    return Promise.resolve(DONE);
  }

  #take(): Entry | undefined {
    const entry = this.#page.entries[this.#index];
    if (entry) this.#index += 1;
    return entry;
  }

  /** Proceeds as far as possible without waiting; a wake-up calls it again. */
  #go(): void {
    while (this.#asker && !this.#busy) {
      if (!this.#started) this.#after(this.#start());
      else if (this.#closed || this.#page.ended) this.#close();
      else if (!this.#news) return;
      else this.#look();
    }
  }

  #look(): void {
    this.#news = false;
    const page = this.#read();
    if (page instanceof Promise) this.#after(page.then((read) => this.#turn(read)));
    else if (page) this.#turn(page);
  }

  #read(): Page | Promise<Page> | undefined {
    try {
      return this.#feed.read(this.#page.position);
    } catch (fault) {
      this.#fail(fault);
      return undefined;
    }
  }

  #after(work: Promise<void>): void {
    this.#busy = true;
    work.then(
      () => {
        this.#busy = false;
        this.#go();
      },
      (fault: unknown) => this.#fail(fault),
    );
  }

  async #start(): Promise<void> {
    this.#started = true;
    if (this.#signal?.aborted) return this.#close();
    // Many readers may share one signal, such as an extension's; each removes its listener again.
    if (this.#signal) setMaxListeners(0, this.#signal);
    this.#signal?.addEventListener('abort', this.#abort, { once: true });
    const unwatch = await this.#feed.watch(() => {
      this.#news = true;
      this.#go();
    });
    // Closed during the wait, so the watch must be ended here.
    if (this.#closed) unwatch();
    else this.#unwatch = unwatch;
  }

  /** Switches to a page and yields its first entry, or the gap. Another read follows only if there is more, or a wake-up has come meanwhile. */
  #turn(page: Page): void {
    this.#page = page;
    this.#index = 0;
    const { gap, position, more } = page;
    const value: Item | undefined = gap && position ? { type: 'gap', cursor: formatCursor(this.#feed.topic, position) } : this.#take();
    this.#news ||= more;
    if (!value) return;
    this.#settle({ done: false, value });
  }

  #settle(step: Step): void {
    const asker = this.#asker;
    this.#asker = undefined;
    asker?.resolve(step);
  }

  #fail(fault: unknown): void {
    const asker = this.#asker;
    this.#asker = undefined;
    asker?.reject(fault);
    this.#close();
  }

  #close(): void {
    if (!this.#closed) {
      this.#closed = true;
      this.#signal?.removeEventListener('abort', this.#abort);
      this.#unwatch?.();
    }
    this.#settle(DONE);
  }
}
