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

/**
 * One follow of one topic: reads a page, hands out its entries, reads the next, waits to be woken.
 * Written out instead of as a generator, whose `return()` would wait for a pending `next()`.
 */
export class Reader implements AsyncIterableIterator<Item> {
  readonly #feed: Feed;
  readonly #signal: AbortSignal | undefined;
  #page: Page = EMPTY;
  #index = 0;
  #started = false;
  #closed = false;
  #news = true;
  #resume: (() => void) | undefined;
  #settle: ((step: Step) => void) | undefined;
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
    assert(!this.#settle, `A reader of '${this.#feed.topic}' is asked for its next entry before it gave the last`);
    return new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#advance().then(
        (step) => this.#finish(() => resolve(step)),
        (error: unknown) => {
          this.#finish(() => reject(error));
          this.#close();
        },
      );
    });
  }

  return(): Promise<Step> {
    this.#close();
    return Promise.resolve(DONE);
  }

  #finish(settle: () => void): void {
    this.#settle = undefined;
    settle();
  }

  #take(): Entry | undefined {
    const entry = this.#page.entries[this.#index];
    if (entry) this.#index += 1;
    return entry;
  }

  /** Waits for nothing where a page is there at once: a busy reader comes here for each entry. */
  async #advance(): Promise<Step> {
    if (!this.#started) await this.#start();
    while (!this.#closed && !this.#page.ended) {
      this.#news = false;
      const page = this.#feed.read(this.#page.position);
      const step = this.#turn(page instanceof Promise ? await page : page);
      if (step) return step;
      if (!this.#page.ended && !this.#news && !this.#closed) await this.#wait();
    }
    this.#close();
    return DONE;
  }

  async #start(): Promise<void> {
    this.#started = true;
    if (this.#signal?.aborted) return this.#close();
    // Many readers may share one signal, an extension's for instance; each takes its listener away again.
    if (this.#signal) setMaxListeners(0, this.#signal);
    this.#signal?.addEventListener('abort', this.#abort, { once: true });
    const unwatch = await this.#feed.watch(() => {
      this.#news = true;
      this.#resume?.();
    });
    // Closed while it waited for the watch: nobody else would end it.
    if (this.#closed) unwatch();
    else this.#unwatch = unwatch;
  }

  /** Turns to a page; gives its first entry, or the gap. */
  #turn(page: Page): Step | undefined {
    this.#page = page;
    this.#index = 0;
    if (page.gap && page.position) {
      return { done: false, value: { type: 'gap', cursor: formatCursor(this.#feed.topic, page.position) } };
    }
    const entry = this.#take();
    return entry && { done: false, value: entry };
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = () => {
        this.#resume = undefined;
        resolve();
      };
    });
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#unwatch?.();
    this.#resume?.();
    this.#settle?.(DONE);
  }
}
