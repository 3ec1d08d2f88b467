import type { Clock } from '../contract/extension.js';

/** The clock of extensions from a source of milliseconds since 1970. */
export function clockOf(source: { now(): number }): Clock {
  return { now: () => source.now(), iso: () => new Date(source.now()).toISOString() };
}
