import assert from 'node:assert/strict';
import { Redis } from 'ioredis';
import type { Log } from '../../contract/extension.js';
import { isFailure } from '../../contract/failure.js';
import { within } from '../../contract/within.js';
import { fail } from './failures.js';

export interface ConnectionOptions {
  url: string;
  log: Log;
  /** What the connection is for, in log lines. */
  name: string;
  /** Run on each new connection before anything that waits is sent. */
  prepare?: (redis: Redis) => Promise<void>;
  /** Called after each `prepare`: what was sent by the server in between is lost. */
  onReady?: () => void;
}

/** Whoever waits longer for an answer is told that the bus isn't there. */
const LIMIT_MS = 5_000;
const CHECK_MS = 5_000;
const MAX_RETRY_MS = 1_000;
/** What the client says of a command that it did not write. */
const UNSENT = /^Stream isn't writeable/;
/** More at once than this are refused while Redis is away, instead of kept. */
const MAX_WAITING = 10_000;

/**
 * One connection to Redis that comes back by itself. While it is away, what is sent waits at most
 * 5 s and then fails with `bus_unavailable`; nothing is sent after its caller was told so.
 */
export class Connection {
  readonly #redis: Redis;
  readonly #options: ConnectionOptions;
  readonly #address: string;
  readonly #check: NodeJS.Timeout;
  #waiting: (() => void)[] = [];
  #ready = false;
  /** Was there, and isn't any longer. */
  #lost = false;
  #closed = false;
  #fault = 'no answer';
  #corked: object | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#address = new URL(options.url).host;
    this.#redis = new Redis(options.url, {
      // Waiting, resending and resubscribing are done here, where they have limits.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
      // Without it, what was sent and not yet answered when the connection is lost would never settle.
      maxRetriesPerRequest: 0,
      disableClientInfo: true,
      connectTimeout: LIMIT_MS,
      retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times - 1, 10), MAX_RETRY_MS),
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
    });
    this.#redis.on('error', (error: Error) => this.#note(error));
    this.#redis.on('ready', () => void this.#prepare());
    this.#redis.on('close', () => this.#away());
    this.#check = setInterval(() => void this.#probe(), CHECK_MS).unref();
  }

  /** Fails with `bus_unavailable`, naming the reason, where Redis can't be reached within 5 s. */
  async connected(): Promise<void> {
    await this.send(async () => {});
  }

  /** Runs commands on the connection once it is there. Answers and the wait for it have 5 s together. */
  async send<T>(work: (redis: Redis) => Promise<T>, limit_ms = LIMIT_MS): Promise<T> {
    let late = false;
    const sent = this.#attempt(work, () => late);
    const expire = (): never => {
      late = true;
      throw this.#unavailable();
    };
    try {
      return await within(limit_ms, sent, expire);
    } catch (error) {
      throw isFailure(error) ? error : this.#unavailable(error);
    }
  }

  /** Tries again only what never left this process; of what was sent nobody knows whether it was done. */
  async #attempt<T>(work: (redis: Redis) => Promise<T>, isLate: () => boolean): Promise<T> {
    for (;;) {
      await this.#open();
      if (isLate()) throw this.#unavailable();
      this.#cork();
      try {
        return await work(this.#redis);
      } catch (error) {
        if (!(error instanceof Error) || !UNSENT.test(error.message)) throw error;
        // The socket has ended, but the client has not said so yet.
        this.#away();
      }
    }
  }

  onMessage(handler: (channel: string, message: string) => void): void {
    this.#redis.on('message', handler);
  }

  /** Whether commands would be sent at once. */
  get ready(): boolean {
    return this.#ready;
  }

  close(): void {
    this.#closed = true;
    this.#ready = false;
    clearInterval(this.#check);
    this.#redis.disconnect();
    this.#release();
  }

  #open(): Promise<void> {
    if (this.#closed) return Promise.reject(this.#unavailable());
    if (this.#ready) return Promise.resolve();
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(this.#unavailable());
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => (this.#closed ? reject(this.#unavailable()) : resolve()));
    });
  }

  /**
   * Joins what falls into one tick to one write. The client's automatic pipelines do so too, but each of
   * them waits for the answers to the one before.
   */
  #cork(): void {
    const { stream } = this.#redis;
    if (this.#corked === stream) return;
    this.#corked = stream;
    stream.cork();
    process.nextTick(() => {
      stream.uncork();
      this.#corked = undefined;
    });
  }

  async #prepare(): Promise<void> {
    try {
      await within(LIMIT_MS, this.#options.prepare?.(this.#redis) ?? Promise.resolve(), () =>
        assert.fail('no answer to its first commands'),
      );
    } catch (error) {
      this.#note(error as Error);
      if (!this.#closed) this.#redis.disconnect(true);
      return;
    }
    if (this.#closed || this.#redis.status !== 'ready') return;
    this.#ready = true;
    this.#fault = 'the connection was lost';
    if (this.#lost) this.#options.log.info(`Redis at ${this.#address} is back (${this.#options.name})`);
    this.#lost = false;
    this.#release();
    this.#options.onReady?.();
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }

  #note(error: Error): void {
    this.#fault = error.message;
  }

  #away(): void {
    if (!this.#ready) return;
    this.#ready = false;
    this.#lost = true;
    this.#options.log.warn(`Redis at ${this.#address} is away (${this.#options.name}): ${this.#fault}`);
  }

  /** A connection whose other end vanished without a word looks alive for minutes. */
  async #probe(): Promise<void> {
    if (!this.#ready) return;
    try {
      await within(LIMIT_MS, this.#redis.ping(), () => assert.fail('no answer to a ping'));
    } catch (error) {
      this.#note(error as Error);
      if (this.#ready && !this.#closed) this.#redis.disconnect(true);
    }
  }

  #unavailable(cause?: unknown): Error {
    const reason = this.#closed ? 'it was closed' : cause instanceof Error ? reasonOf(cause) : this.#fault;
    return fail('bus_unavailable', `Redis at ${this.#address} doesn't serve (${this.#options.name}): ${reason}`, { cause, retry_after: 1 });
  }
}

function reasonOf(cause: Error): string {
  return cause.name === 'MaxRetriesPerRequestError' ? 'the connection was lost before the answer came' : cause.message;
}
