import { KeyedLimiter } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';

export interface PerNodeLimits {
  /** Concurrent commands on one node. */
  max: number;
  max_waiting: number;
  max_wait_ms: number;
}

/** Limits the concurrent commands on a node; further ones wait in order, up to a limit. */
export class PerNodeLimiter {
  readonly #limits: PerNodeLimits;
  readonly #limiter: KeyedLimiter<number>;

  constructor(limits: PerNodeLimits) {
    this.#limits = limits;
    this.#limiter = new KeyedLimiter(limits.max);
  }

  /** Runs work within the limit. Fails with `node_busy` if too many wait or it waits too long, or with the signal's reason. */
  async run<T>(id: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { max, max_waiting, max_wait_ms } = this.#limits;
    const waiting = this.#limiter.waiting(id);
    signal.throwIfAborted();
    if (waiting >= max_waiting) throw busy(`${max} commands run on the node and ${waiting} wait`);
    const late = new AbortController();
    const refuse = () => late.abort(busy(`${max} commands run on the node, and none ended within ${max_wait_ms / 1000} s`));
    const timer = setTimeout(refuse, max_wait_ms);
    const start = () => {
      clearTimeout(timer);
      return work();
    };
    return this.#limiter.run(id, start, { signal: AbortSignal.any([signal, late.signal]) }).finally(() => clearTimeout(timer));
  }
}

function busy(message: string) {
  return fail('node_busy', `${message}; try again later`, { retry_after: 5 });
}
