import type { Cleaner } from '../../kernel/contract/index.js';

interface Kept {
  /** Gives how many rows it removed. */
  sweep(): Promise<number>;
}

/**
 * Removes what grows by itself: logins and tickets at their end, personal tokens 30 days later, failed logins after an hour (and
 * beyond 100,000), addresses of logins after 90 days, keys once no token that they signed is valid.
 */
export function cleanersOf(kept: { logins: Kept; tickets: Kept; tokens: Kept; limit: Kept; keys: Kept; places: Kept }): Cleaner[] {
  const { limit, places, ...others } = kept;
  return Object.entries({ ...others, failed_logins: limit, login_places: places }).map(([name, each]) => ({
    name,
    clean: () => each.sweep(),
  }));
}
