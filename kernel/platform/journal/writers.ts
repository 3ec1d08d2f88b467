import { randomUUID } from 'node:crypto';
import type { Log } from '../../contract/extension.js';
import type { Server } from './server.js';

export interface WritersOptions {
  server: Server;
  log: Log;
  /** So long after the last sign of the last writer, what is known of them is forgotten. */
  kept_ms: number;
  /** Called when topics may miss something. */
  onLoss: () => void;
}

/** Both keys belong together: in braces is what decides the place in a cluster. */
const keys = ['platform:journal.writers:{journal}', 'platform:journal.losses:{journal}'] as const;
const beat_ms = 3_000;
/** Who has not been heard for so long is dead, and may have died before it could tell what it had stored. */
const lapse_ms = 12_000;
const leaving_ms = 1_000;

/**
 * The processes that append to the journal on one Redis. Each says now and then that it lives; where one has died without a word, all
 * topics have a gap: what it had committed, and not yet appended, nobody else knows of.
 */
export class Writers {
  readonly #options: WritersOptions;
  readonly #id = randomUUID();
  #timer: NodeJS.Timeout | undefined;
  #isBeating = false;

  constructor(options: WritersOptions) {
    this.#options = options;
  }

  /** From here on this process is one of them. Where Redis has no room for it, from a later beat on. */
  async enter(): Promise<void> {
    await this.#beat().catch(() => undefined);
    this.#timer = setInterval(() => this.beat(), beat_ms).unref();
  }

  /** Says at once that this process lives: for when Redis is back. */
  beat(): void {
    if (!this.#timer || this.#isBeating) return;
    this.#isBeating = true;
    // The next beat is soon enough.
    const ended = (): void => {
      this.#isBeating = false;
    };
    this.#beat().then(ended, ended);
  }

  /** Ends the beats. @param owesNothing - whether all that it appends has been appended: else it leaves as if it had died */
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
    log.warn('An instance has ended without a word: what it may not have told is read anew');
    onLoss();
  }
}
