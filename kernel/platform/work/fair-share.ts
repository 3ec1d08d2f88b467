import type { SqlValue } from '../../contract/data.js';

interface Limits {
  max_running: number;
  /** Limit of running jobs per key. Default: as many as remain free. */
  max_each?: number | undefined;
}

/** Limits of the next claim. */
interface Share {
  /** Jobs that may be claimed together, for keys that are not full; 0 if no place is free. */
  room: number;
  /** Keys at their limit. */
  full: (readonly SqlValue[])[];
}

/**
 * Returns how many jobs may be started, and the keys that may start none. Without `max_each` a key may use at most as many places as
 * remain free, so that a single key gets half of them and others still find a place.
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
  // Without `max_each` each started job adds one to its key and takes one free place.
  const room = max_each === undefined ? Math.ceil((free - max) / 2) : Math.min(free, max_each - max);
  return { room: Math.max(0, room), full: all.filter(({ running }) => running >= limit).map(({ key }) => key) };
}
