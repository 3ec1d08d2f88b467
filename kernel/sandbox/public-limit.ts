import { LRUCache } from 'lru-cache';
import { fail } from '../contract/failure.js';
import { Budget } from './budget.js';

/** Of one address, in a minute, to all public operations of one plugin together. */
const requests = 60;
const window_ms = 60_000;
/** Whoever comes from more addresses than this begins anew with those that were seen longest ago. */
const remembered = 10_000;

/** The largest body of a public operation. */
export const public_max_bytes = 1024 * 1024;

/** Holds those who need no token to a number of requests. */
export class PublicLimit {
  readonly #budgets = new LRUCache<string, Budget>({ max: remembered });

  /** Counts one request. Fails with `rate_limited` where it is one too many. */
  use(address: string): void {
    const budget = this.#budgets.get(address) ?? new Budget(requests, window_ms);
    this.#budgets.set(address, budget);
    if (budget.use()) return;
    throw fail('rate_limited', `More than ${requests} requests a minute from one address`, { retry_after: budget.renews_in_s });
  }
}
