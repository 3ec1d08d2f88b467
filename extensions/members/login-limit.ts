import { type Clock, fail, networkOf } from '../../kernel/contract/index.js';
import { digest } from './opaque.js';
import type { Store } from './store.js';
import { isoAfter } from './timestamp.js';

const minute = 60_000;
const hour = 60 * minute;
const perAddress = 10;
const perName = 100;

/**
 * Ten failed logins a minute for an address (of IPv6: its network) and a name, a hundred an hour for a name.
 *
 * They are counted in the database: an attempt costs a password hash anyway, so that two indexed
 * statements don't matter, and all instances count together, also across restarts.
 */
export class LoginLimit {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Fails with `rate_limited` where one more attempt is too many. */
  async check(username: string, address: string): Promise<void> {
    const now = this.#clock.now();
    const since = { hour_ago: isoAfter(now, -hour), minute_ago: isoAfter(now, -minute) };
    const counts = await this.#store.failures.counts(keyOf(username), networkOf(address), since);
    const waits = [
      counts.by_address >= perAddress ? until(counts.oldest_by_address, minute, now) : 0,
      counts.by_name >= perName ? until(counts.oldest_by_name, hour, now) : 0,
    ];
    const retry_after = Math.max(...waits);
    if (retry_after > 0)
      throw fail('rate_limited', `Too many failed logins with this name; try again in ${retry_after} seconds`, { retry_after });
  }

  /**
   * Counts a failure, or fails with `rate_limited` where others that ran beside it have reached the
   * limit: an attempt too many must not tell whether its password was right.
   */
  async failed(username: string, address: string): Promise<void> {
    const count = async () => {
      await this.check(username, address);
      await this.#store.failures.insert(keyOf(username), networkOf(address), this.#clock.iso());
    };
    await this.#store.exclusive(`login:${keyOf(username)}`, count, { audited: false });
  }

  sweep(): Promise<number> {
    return this.#store.failures.sweep(isoAfter(this.#clock.now(), -hour));
  }
}

/** Names are kept as hashes: people also type their passwords there. */
function keyOf(username: string): string {
  return digest(username.toLowerCase());
}

function until(oldest: string | null, window: number, now: number): number {
  const end = oldest === null ? now + window : Date.parse(oldest) + window;
  return Math.max(1, Math.ceil((end - now) / 1000));
}
