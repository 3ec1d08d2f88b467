import { type Clock, fail } from '../../kernel/contract/index.js';
import { digest } from './opaque.js';
import type { Failures } from './store/failures.js';
import type { Store } from './store.js';
import { isoAfter } from './timestamp.js';

const minute_ms = 60_000;
const hour_ms = 60 * minute_ms;
const max_per_minute = 10;
const max_per_hour = 100;

/** Counters of wrong codes, each apart from failed passwords. */
type Kind = 'device code';

/** Limits wrong codes of one account: ten a minute and a hundred an hour, on all instances together. */
export class AccountLimit {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Looks up what a code stands for; undefined counts as a wrong code. Attempts of one account run one after another, so that many at once
   * exceed no limit. Fails with `rate_limited` above a limit, whether or not the code is right.
   */
  async attempt<T>(kind: Kind, member_id: number, find: () => Promise<T | undefined>): Promise<T | undefined> {
    const name_hash = digest(`${kind}: ${member_id}`);
    // No client: an account's codes are counted from everywhere.
    const place = { address: kind, network: kind, device: '' };
    return this.#store.exclusive(
      `limit:${name_hash}`,
      async () => {
        const now = this.#clock.now();
        const since = { minute_ago: isoAfter(now, -minute_ms), hour_ago: isoAfter(now, -hour_ms) };
        const { address: minute, name: hour } = await this.#store.failures.withName({ name_hash, ...place }, since);
        const retry_after = Math.max(wait(minute, max_per_minute, minute_ms, now), wait(hour, max_per_hour, hour_ms, now));
        if (retry_after > 0) throw fail('rate_limited', `Too many wrong codes; try again in ${retry_after} seconds`, { retry_after });
        const found = await find();
        if (found === undefined) await this.#store.failures.insert({ name_hash, ...place, failed_at: this.#clock.iso() });
        return found;
      },
      { audited: false },
    );
  }
}

/** Returns the seconds until fewer than `max` failures are within the window; 0 if that is so now. */
function wait({ count, oldest }: Failures, max: number, window: number, now: number): number {
  if (count < max) return 0;
  const end = oldest === null ? now + window : Date.parse(oldest) + window;
  return Math.max(1, Math.ceil((end - now) / 1_000));
}
