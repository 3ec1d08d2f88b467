import { LRUCache } from 'lru-cache';
import { fail } from '../../contract/failure.js';
import { Budget } from './budget.js';

export interface AllowanceOptions {
  /** Limit for each, in a minute; 0 is no limit. */
  per_minute: number;
  /** The counted thing, for the message: `requests from one address`. */
  what: string;
}

const minute_ms = 60_000;
/** Whoever comes from more than this begins anew with those that were seen longest ago. */
const remembered = 10_000;

/**
 * Holds each of many to a number of uses in a minute, in the memory of this process. It is our own, like {@link Budget}, because
 * rate-limiter-flexible answers with a promise and keeps a timer for each key, and requests and frames are counted one by one.
 */
export class Allowance {
  readonly #options: AllowanceOptions;
  readonly #budgets = new LRUCache<string | number, Budget>({ max: remembered });

  constructor(options: AllowanceOptions) {
    this.#options = options;
  }

  /** Counts one use. Fails with `rate_limited` where it is one too many. */
  use(key: string | number): void {
    const { per_minute, what } = this.#options;
    if (per_minute === 0) return;
    const budget = this.#budgets.get(key) ?? this.#begin(key);
    if (budget.use()) return;
    const retry_after = budget.renews_in_s;
    throw fail('rate_limited', `More than ${per_minute} ${what} a minute; go on in ${retry_after} s`, { retry_after });
  }

  #begin(key: string | number): Budget {
    const budget = new Budget(this.#options.per_minute, minute_ms);
    this.#budgets.set(key, budget);
    return budget;
  }
}
