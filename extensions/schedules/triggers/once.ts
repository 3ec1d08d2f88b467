import { minute_ms, type Parsed } from './read.js';
import type { Zone } from './zone.js';

const shape = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|([+-])(\d\d):?(\d\d))?$/;

/**
 * Parses a date and time of ISO 8601 (the extended form, years 0100 to 9999): `2026-11-20T08:30`, with or without
 * seconds and a fraction (cut to ms), then `Z`, an offset (`+02:00`, `+0200`), or nothing. Without an offset it is a
 * local time of the zone: one that occurs twice is the first, one that is skipped is the first instant after the gap.
 * Rejects nonexistent days (2026-02-30), 24:00 and the second 60.
 */
export function readOnce(text: string): Parsed<(zone: Zone) => Once> {
  const parts = shape.exec(text);
  if (!parts) return { faults: [`'${text}' is not an ISO 8601 date and time, such as 2026-11-20T08:30:00Z`] };
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((digits) => Number(digits ?? 0)) as Six;
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const offset = offsetOf(parts);
  if (!hasComponents(date, [year, month, day, hour, minute, second]) || offset === undefined)
    return { faults: [`'${text}' is not a valid date and time`] };
  const wall = date.getTime() + Number((parts[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const hasOffset = parts[8] !== undefined;
  return { value: (zone) => new Once(hasOffset ? wall - offset : zone.firstInstant(wall)) };
}

type Six = [number, number, number, number, number, number];

/** Whether a date has the components that it was made of: `Date.UTC` carries 30 February over to March, and 60 s to the next minute. */
function hasComponents(date: Date, [year, month, day, hour, minute, second]: Six): boolean {
  return (
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute &&
    date.getUTCSeconds() === second
  );
}

/** In ms east of UTC; undefined if no clock has such an offset. */
function offsetOf(parts: RegExpExecArray): number | undefined {
  const [hours, minutes] = [Number(parts[10] ?? 0), Number(parts[11] ?? 0)];
  if (hours > 23 || minutes > 59) return undefined;
  return (parts[9] === '-' ? -1 : 1) * (hours * 60 + minutes) * minute_ms;
}

class Once {
  readonly #at: number;

  constructor(at: number) {
    this.#at = at;
  }

  next(after: number): number | undefined {
    return this.#at > after ? this.#at : undefined;
  }
}
