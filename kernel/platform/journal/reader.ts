import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import type { Entry, FollowOptions, Gap } from '../../contract/journal.js';
import { formatCursor, type Position, parseCursor } from './position.js';

/** What follows a position: a gap, or some entries and where they lead. */
export interface Page {
  readonly gap?: boolean;
  readonly entries: readonly Entry[];
  /** After the last of `entries`, or where the gap ends. Undefined while the topic has no entry at all. */
  readonly position: Position | undefined;
  /** Nothing comes after `entries`. */
  readonly ended: boolean;
}

/** A topic as readers see it; one for each driver. */
export interface Feed {
  readonly topic: string;
  /** Calls `wake` whenever there may be more to read, until the function that it gives is called. */
  watch(wake: () => void): (() => void) | Promise<() => void>;
  /** A bounded number of entries after a position; from the topic's first where it is undefined. */
  read(after: Position | undefined): Page | Promise<Page>;
}

export type Item = Entry | (Gap & { data?: undefined });
type Step = IteratorResult<Item, undefined>;

const DONE: Step = { done: true, value: undefined };
const EMPTY: Page = { entries: [], position: undefined, ended: false };

interface Asker {
  resolve(step: Step): void;
  reject(fault: unknown): void;
}

/**
 * One follow of one topic: reads a page, hands out its entries, reads the next, waits to be woken.
 * Written out instead of as a generator, whose `return()` would wait for a pending `next()`, and without
 * an asynchronous step where a page is there at once: hundreds of replies bring thousands of entries a second.
 */
export class Reader implements AsyncIterableIterator<Item> {
  readonly #feed: Feed;
  readonly #signal: AbortSignal | undefined;
  #page: Page = EMPTY;
  #index = 0;
  #started = false;
  #closed = false;
  #news = true;
  /** Something is waited for that goes on by itself. */
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

  /** As far as it goes without waiting; whoever wakes it calls again. */
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
    // Many readers may share one signal, an extension's for instance; each takes its listener away again.
    if (this.#signal) setMaxListeners(0, this.#signal);
    this.#signal?.addEventListener('abort', this.#abort, { once: true });
    const unwatch = await this.#feed.watch(() => {
      this.#news = true;
      this.#go();
    });
    // Closed while it waited for the watch: nobody else would end it.
    if (this.#closed) unwatch();
    else this.#unwatch = unwatch;
  }

  /** Turns to a page and gives its first entry, or the gap. After either, there may be more at once. */
  #turn(page: Page): void {
    this.#page = page;
    this.#index = 0;
    const { gap, position } = page;
    const value: Item | undefined = gap && position ? { type: 'gap', cursor: formatCursor(this.#feed.topic, position) } : this.#take();
    if (!value) return;
    this.#news = true;
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
