import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { connection } from './connection.js';
import { waitToRetry } from './reachable.js';

/** Attempts that fail although the server can be reached: then the part is gone, and no further one would help. */
const max_failed = 4;

/**
 * Returns a component whose module is loaded when it is shown for the first time. `lazy` alone would stay broken if the connection was lost at
 * that moment; this tries again until it is there.
 */
export function late<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await persistently(load) }));
}

async function persistently<T>(load: () => Promise<T>): Promise<T> {
  let failed = 0;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await load();
    } catch (error) {
      if (connection().live.state.get().state === 'live') failed += 1;
      if (failed >= max_failed) throw error;
      await waitToRetry(attempt);
    }
  }
}
