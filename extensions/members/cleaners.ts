import type { Cleaner } from '../../kernel/contract/index.js';

interface Kept {
  /** Gives how many rows it removed. */
  sweep(): Promise<number>;
}

/**
 * How long is kept what grows by itself: logins and tickets to their end, personal tokens 30 days beyond it, failed
 * logins an hour (and 100,000 at most), keys until no token that they signed holds any more.
 */
export function cleanersOf(kept: { logins: Kept; tickets: Kept; tokens: Kept; limit: Kept; keys: Kept }): Cleaner[] {
  const { limit, ...others } = kept;
  return Object.entries({ ...others, failed_logins: limit }).map(([name, each]) => ({ name, clean: () => each.sweep() }));
}
