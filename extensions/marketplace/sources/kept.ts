import { untilAborted } from '../../../kernel/contract/index.js';
import { fresh_ms, listing_ms, retry_ms } from './limits.js';
import type { SourceContext } from './source.js';

type Own = Pick<SourceContext, 'clock' | 'signal'>;

/** Gets it; what it had last time is given, so that it may say that nothing has changed. */
type Load<Value> = (signal: AbortSignal, last: Value | undefined) => Promise<Value>;

/**
 * Something that takes time to get, kept for a minute. Who asks meanwhile waits for the same load, which goes on when they give
 * up: the next one finds it done. A failure is kept for five seconds, so that what is away isn't asked by everyone in turn.
 */
export class Kept<Value extends object> {
  readonly #ctx: Own;
  readonly #get: Load<Value>;
  #last: Value | undefined;
  #answer: Promise<Value> | undefined;
  #until = 0;

  /** The context's signal ends a load. */
  constructor(ctx: Own, get: Load<Value>) {
    this.#ctx = ctx;
    this.#get = get;
  }

  get(signal: AbortSignal): Promise<Value> {
    if (this.#answer === undefined || this.#ctx.clock.now() >= this.#until) this.#answer = this.#load();
    return untilAborted(this.#answer, signal);
  }

  #load(): Promise<Value> {
    this.#until = Number.POSITIVE_INFINITY;
    const answer = this.#get(AbortSignal.any([this.#ctx.signal, AbortSignal.timeout(listing_ms)]), this.#last);
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
    this.#until = this.#ctx.clock.now() + ms;
  }
}
