import { LRUCache } from 'lru-cache';
import { fail } from '../../contract/failure.js';
import { Budget } from './budget.js';

export interface RateLimiterOptions {
  /** Uses per key and minute; 0 means no limit. */
  per_minute: number;
  /** Noun of the counted uses, for the message: `requests from one address`. */
  what: string;
}

const minute_ms = 60_000;
/** Limit of remembered keys; the least recently used are forgotten. */
const remembered = 10_000;

/**
 * Limits the uses per minute of each key, in the memory of this process. Own code, like {@link Budget}, because
 * rate-limiter-flexible returns a promise and keeps a timer per key, too slow for each request and frame.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #budgets = new LRUCache<string | number, Budget>({ max: remembered });

  constructor(options: RateLimiterOptions) {
    this.#options = options;
  }

  /** Counts one use. Fails with `rate_limited` above the limit. */
  use(key: string | number): void {
    const { per_minute, what } = this.#options;
    if (per_minute === 0) return;
    const budget = this.#budgets.get(key) ?? this.#begin(key);
    if (budget.use()) return;
    const retry_after = budget.renews_in_s;
    throw fail('rate_limited', `More than ${per_minute} ${what} a minute; try again in ${retry_after} s`, { retry_after });
  }

  #begin(key: string | number): Budget {
    const budget = new Budget(this.#options.per_minute, minute_ms);
    this.#budgets.set(key, budget);
    return budget;
  }
}
