import { randomUUID } from 'node:crypto';
import type { Log } from '../../contract/extension.js';
import type { Server } from './server.js';

export interface WritersOptions {
  server: Server;
  log: Log;
  /** Expiry of the writers' state after the last sign of life. */
  kept_ms: number;
  /** Called when topics may miss entries. */
  onLoss: () => void;
}

/** Keys of the writers; the hash tag in braces keeps both on one cluster node. */
const keys = ['platform:journal.writers:{journal}', 'platform:journal.losses:{journal}'] as const;
const beat_ms = 3_000;
/** Silence after which a writer counts as dead; it may have died before it announced what it had stored. */
const lapse_ms = 12_000;
const leaving_ms = 1_000;

/**
 * Tracks the processes that append to the journal on one Redis. Each sends periodic signs of life. If one dies without leaving, all
 * topics get a gap: nobody else knows what it had committed but not yet appended.
 */
export class Writers {
  readonly #options: WritersOptions;
  readonly #id = randomUUID();
  #timer: NodeJS.Timeout | undefined;
  #isBeating = false;

  constructor(options: WritersOptions) {
    this.#options = options;
  }

  /** Registers this process. If Redis rejects it now, a later beat registers it. */
  async enter(): Promise<void> {
    await this.#beat().catch(() => undefined);
    this.#timer = setInterval(() => this.beat(), beat_ms).unref();
  }

  /** Sends a sign of life at once, for when Redis is back. */
  beat(): void {
    if (!this.#timer || this.#isBeating) return;
    this.#isBeating = true;
    // Ignore a failed beat; the next one follows soon.
    const ended = (): void => {
      this.#isBeating = false;
    };
    this.#beat().then(ended, ended);
  }

  /** Stops the beats. @param owesNothing - whether all its appends are done; otherwise it leaves as if it had died */
  async leave(owesNothing: boolean): Promise<void> {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (!owesNothing) return;
    const left = this.#options.server.connection.send((redis) => redis.zrem(keys[0], this.#id), leaving_ms);
    await left.catch(() => undefined);
  }

  async #beat(): Promise<void> {
    const { server, log, kept_ms, onLoss } = this.#options;
    const losses = (await server.script('beat', keys, [this.#id, lapse_ms, kept_ms])) as number;
    if (losses <= server.losses) return;
    const isNews = this.#timer !== undefined;
    server.losses = losses;
    if (!isNews) return;
    log.warn('An instance ended without leaving; all clients reload, because its last events may be missing');
    onLoss();
  }
}
