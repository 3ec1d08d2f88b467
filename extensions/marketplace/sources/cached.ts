import { untilAborted } from '../../../kernel/contract/index.js';
import { fresh_ms, listing_ms, retry_ms } from './limits.js';
import type { SourceContext } from './source.js';

type Dependencies = Pick<SourceContext, 'clock' | 'signal'>;

/** Loads the value; gets the previous one, so that it may find it unchanged. */
type Load<Value> = (signal: AbortSignal, last: Value | undefined) => Promise<Value>;

/**
 * Caches a slow value for a minute. Concurrent callers share a load, which continues even if they give up. A failure is
 * cached for five seconds, so that an unavailable source isn't queried by every caller in turn.
 */
export class Cached<Value extends object> {
  readonly #ctx: Dependencies;
  readonly #get: Load<Value>;
  #last: Value | undefined;
  #value: Promise<Value> | undefined;
  #until = 0;

  /** The context's signal aborts a load. */
  constructor(ctx: Dependencies, get: Load<Value>) {
    this.#ctx = ctx;
    this.#get = get;
  }

  get(signal: AbortSignal): Promise<Value> {
    if (this.#value === undefined || this.#ctx.clock.now() >= this.#until) this.#value = this.#load();
    return untilAborted(this.#value, signal);
  }

  #load(): Promise<Value> {
    this.#until = Number.POSITIVE_INFINITY;
    const answer = this.#get(AbortSignal.any([this.#ctx.signal, AbortSignal.timeout(listing_ms)]), this.#last);
    answer.then(
      (value) => {
        this.#last = value;
        this.#store(fresh_ms);
      },
      () => this.#store(retry_ms),
    );
    return answer;
  }

  #store(ms: number): void {
    this.#until = this.#ctx.clock.now() + ms;
  }
}
