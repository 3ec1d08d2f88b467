import type { SqlValue } from '../../contract/data.js';

interface Limits {
  max_running: number;
  /** Default: as many as it leaves free. */
  max_each?: number | undefined;
}

/** Limits of the next claim. */
interface Share {
  /** How many jobs may be claimed together, for anybody but the full ones; 0 if no place is free. */
  room: number;
  /** Keys that have as many places as they may. */
  full: (readonly SqlValue[])[];
}

/**
 * Returns how many jobs may be started, and for which keys none. Without `max_each` a key may have as many places as it leaves free:
 * one alone gets half of them, and a place for another remains.
 */
export function fairShare(busy: Iterable<readonly SqlValue[]>, { max_running, max_each }: Limits): Share {
  const places = new Map<string, { key: readonly SqlValue[]; running: number }>();
  let free = max_running;
  for (const key of busy) {
    const name = JSON.stringify(key);
    places.set(name, { key, running: (places.get(name)?.running ?? 0) + 1 });
    free -= 1;
  }
  const limit = max_each ?? free;
  const all = [...places.values()];
  const max = Math.max(0, ...all.filter(({ running }) => running < limit).map(({ running }) => running));
  // Without `max_each` each job that starts is one more for its key and one less that is free.
  const room = max_each === undefined ? Math.ceil((free - max) / 2) : Math.min(free, max_each - max);
  return { room: Math.max(0, room), full: all.filter(({ running }) => running >= limit).map(({ key }) => key) };
}
