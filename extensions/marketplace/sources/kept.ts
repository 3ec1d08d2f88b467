import { type Clock, untilAborted } from '../../../kernel/contract/index.js';
import { fresh_ms, listing_ms, retry_ms } from './limits.js';

export interface KeptOptions<Value> {
  /** Gets it; what it had last time is given, so that it may say that nothing has changed. */
  load: (signal: AbortSignal, last: Value | undefined) => Promise<Value>;
  clock: Clock;
  /** Ends a load. */
  signal: AbortSignal;
}

/**
 * Something that takes time to get, kept for a minute. Who asks meanwhile waits for the same load, which goes on when they give
 * up: the next one finds it done. A failure is kept for five seconds, so that what is away isn't asked by everyone in turn.
 */
export class Kept<Value extends object> {
  readonly #options: KeptOptions<Value>;
  #last: Value | undefined;
  #answer: Promise<Value> | undefined;
  #until = 0;

  constructor(options: KeptOptions<Value>) {
    this.#options = options;
  }

  get(signal: AbortSignal): Promise<Value> {
    if (this.#answer === undefined || this.#options.clock.now() >= this.#until) this.#answer = this.#load();
    return untilAborted(this.#answer, signal);
  }

  #load(): Promise<Value> {
    const { load, signal } = this.#options;
    this.#until = Number.POSITIVE_INFINITY;
    const answer = load(AbortSignal.any([signal, AbortSignal.timeout(listing_ms)]), this.#last);
    answer.then(
      (value) => {
        this.#last = value;
        this.#keep(fresh_ms);
      },
      () => this.#keep(retry_ms),
    );
    return answer;
  }

  #keep(ms: number): void {
    this.#until = this.#options.clock.now() + ms;
  }
}
