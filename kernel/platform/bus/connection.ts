import assert from 'node:assert/strict';
import { Redis } from 'ioredis';
import type { Log } from '../../contract/extension.js';
import { isFailure } from '../../contract/failure.js';
import { within } from '../../contract/within.js';
import { fail } from './failures.js';

export interface ConnectionOptions {
  url: string;
  log: Log;
  /** Name of the connection in log lines. */
  name: string;
  /** Runs on each new connection before waiting commands are sent. */
  prepare?: (redis: Redis) => Promise<void>;
  /** Called after each `prepare`: messages from the server in between are lost. */
  onReady?: () => void;
}

/** Limit of the wait for an answer; afterwards the bus counts as unavailable. */
const LIMIT_MS = 5_000;
const CHECK_MS = 5_000;
const MAX_RETRY_MS = 1_000;
/** Error of the client for a command that it did not write. */
const UNSENT = /^Stream isn't writeable/;
/** Limit of commands that wait while Redis is unavailable; more are rejected. */
const MAX_WAITING = 10_000;

/**
 * One connection to Redis that reconnects by itself. While it is unavailable, commands wait at most
 * 5 s and then fail with `bus_unavailable`; a failed command is never sent later.
 */
export class Connection {
  readonly #redis: Redis;
  readonly #options: ConnectionOptions;
  readonly #address: string;
  readonly #check: NodeJS.Timeout;
  #waiting: (() => void)[] = [];
  #ready = false;
  /** Whether an established connection was lost. */
  #lost = false;
  #closed = false;
  #fault = 'no answer';
  #corked: object | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#address = new URL(options.url).host;
    this.#redis = new Redis(options.url, {
      // This class queues, resends and resubscribes itself, with limits.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      autoResubscribe: false,
      // Without it, commands in flight when the connection is lost would never settle.
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

  /** Waits for the connection. Fails with `bus_unavailable` and the reason if Redis is unreachable for 5 s. */
  async connected(): Promise<void> {
    await this.send(async () => {});
  }

  /** Runs commands once connected. The wait and the answers have 5 s together. */
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

  /** Retries only commands that never left this process: whether a sent one was executed is unknown. */
  async #attempt<T>(work: (redis: Redis) => Promise<T>, isLate: () => boolean): Promise<T> {
    for (;;) {
      await this.#open();
      if (isLate()) throw this.#unavailable();
      this.#cork();
      try {
        return await work(this.#redis);
      } catch (error) {
        if (!(error instanceof Error) || !UNSENT.test(error.message)) throw error;
        // The socket has ended, but the client has not reported it yet.
        this.#away();
      }
    }
  }

  onMessage(handler: (channel: string, message: string) => void): void {
    this.#redis.on('message', handler);
  }

  /** Whether commands can be sent at once. */
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
   * Batches the commands of one tick into one write. The client's automatic pipelines do so too, but each
   * waits for the answers to the previous one.
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
    this.#options.log.warn(`Redis at ${this.#address} is unavailable (${this.#options.name}): ${this.#fault}`);
  }

  /** Pings the server: a connection whose other end vanished looks alive for minutes. */
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
    return fail('bus_unavailable', `Redis at ${this.#address} is unavailable (${this.#options.name}): ${reason}`, {
      cause,
      retry_after: 1,
    });
  }
}

function reasonOf(cause: Error): string {
  return cause.name === 'MaxRetriesPerRequestError' ? 'the connection was lost before the answer came' : cause.message;
}
