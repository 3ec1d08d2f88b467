import { minute_ms, type Parsed } from './read.js';

const max_days = 366;
const units = { m: minute_ms, h: 60 * minute_ms } as const;

/** Parses `15m` or `2h`. Planned times are relative to the anchor: a late run doesn't move later ones. */
export function readInterval(text: string): Parsed<(zone: unknown, anchor: number) => Interval> {
  const [, count, unit] = /^(\d+)(m|h)$/.exec(text) ?? [];
  if (count === undefined) return { faults: [`The interval '${text}' is not a whole number of minutes or hours, such as 15m or 2h`] };
  const interval = Number(count) * units[unit as keyof typeof units];
  if (interval < minute_ms) return { faults: [`The interval '${text}' is shorter than 1m`] };
  if (interval > max_days * 24 * units.h) return { faults: [`The interval '${text}' is longer than ${max_days} days`] };
  return { value: (_zone, anchor) => new Interval(interval, anchor) };
}

class Interval {
  readonly #interval: number;
  readonly #anchor: number;

  constructor(interval: number, anchor: number) {
    this.#interval = interval;
    this.#anchor = anchor;
  }

  next(after: number): number {
    const passed = Math.floor((after - this.#anchor) / this.#interval);
    return this.#anchor + (Math.max(passed, 0) + 1) * this.#interval;
  }
}
