import { LRUCache } from 'lru-cache';
import { isTimeZone } from '../../../kernel/contract/index.js';
import { day_ms, type Parsed } from './read.js';

/** A change of a zone's clock: forward, which skips local times, or back, which repeats them. */
export interface ClockShift {
  /** The first instant with the new offset. */
  readonly at: number;
  /** In ms east of UTC, before `at`. */
  readonly before: number;
  /** In ms east of UTC, from `at` on. */
  readonly after: number;
}

/** About the number of existing zones. */
const zones = new LRUCache<string, Zone>({ max: 500 });

/**
 * Finds a zone by its name in the time zone database, including links, ignoring case: `Europe/Berlin`, `Japan`, `UTC`.
 * Rejects offsets (`+02:00`), because they have no summer time, and abbreviations that the database doesn't have: to
 * Intl, BST is Bangladesh's.
 */
export function zoneNamed(name: string): Parsed<Zone> {
  const cached = zones.get(name);
  if (cached) return { value: cached };
  const format = formatOf(name);
  if (!format)
    return {
      faults: [`There is no time zone '${name.slice(0, 64)}'; use a name from the time zone database, such as Europe/Berlin or UTC`],
    };
  const zone = new Zone(format);
  zones.set(name, zone);
  return { value: zone };
}

function formatOf(name: string): Intl.DateTimeFormat | undefined {
  return isTimeZone(name) ? new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' }) : undefined;
}

/** Time span whose shifts are looked up together: about 24 days. In seconds, a power of two, so that halves are whole. */
const span_s = 2 ** 21;
const span_ms = span_s * 1_000;
/** Two shifts that undo each other within this time would be missed; there have been none since 1970. */
const probe_s = 2 ** 18;

/** Formats a moment, in ms since the epoch, with its offset at the end: `GMT+05:30`, `GMT` alone, or `GMT-00:44:30` of old times. */
interface OffsetFormat {
  format(time: number): string;
}

interface Span {
  /** The offset at the span's start. */
  offset: number;
  /** In order. */
  shifts: readonly ClockShift[];
}

/** Offsets of a time zone, from Intl: a look-up there takes a microsecond, so they are cached span by span. */
export class Zone {
  readonly #format: OffsetFormat;
  /** About four years' worth. */
  readonly #spans = new LRUCache<number, Span>({ max: 64 });

  constructor(format: OffsetFormat) {
    this.#format = format;
  }

  /** Returns ms east of UTC. */
  offset(at: number): number {
    const { offset, shifts } = this.#span(Math.floor(at / span_ms));
    return shifts.findLast((shift) => shift.at <= at)?.after ?? offset;
  }

  /** Returns the first shift after `from`, up to and including `to`. For a few days: it checks all of them. */
  shift(from: number, to: number): ClockShift | undefined {
    for (let index = Math.floor(from / span_ms); index * span_ms <= to; index++) {
      const found = this.#span(index).shifts.find(({ at }) => at > from && at <= to);
      if (found) return found;
    }
    return undefined;
  }

  /** Returns the shift next to a local time: a zone's clock changes at most once within two days. */
  shiftNear(wall: number): ClockShift | undefined {
    return this.shift(wall - day_ms, wall + day_ms);
  }

  /**
   * Returns the instant at which the clock shows a local time (given as the ms since the epoch at which UTC's clock
   * shows the same): the first of two, and the first instant after the gap if the clock skips it.
   */
  firstInstant(wall: number): number {
    const shift = this.shiftNear(wall);
    if (!shift) return wall - this.offset(wall);
    return wall - shift.before < shift.at ? wall - shift.before : Math.max(wall - shift.after, shift.at);
  }

  #span(index: number): Span {
    const known = this.#spans.get(index);
    if (known) return known;
    const span = this.#read(index);
    this.#spans.set(index, span);
    return span;
  }

  #read(index: number): Span {
    const start = index * span_s;
    const shifts: ClockShift[] = [];
    // A shift at the very start belongs to this span, so search from one second earlier
    let [from, before] = [start - 1, this.#offsetFromFormat(start - 1)];
    for (let to = start + probe_s - 1; to < start + span_s; to += probe_s) {
      const after = this.#offsetFromFormat(to);
      if (after !== before) shifts.push({ at: this.#shiftInstant(from, to, after) * 1_000, before, after });
      [from, before] = [to, after];
    }
    return { offset: shifts[0]?.before ?? before, shifts };
  }

  /** Returns the first second after `from` that has the offset of `to`. */
  #shiftInstant(from: number, to: number, offset: number): number {
    let [low, high] = [from, to];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#offsetFromFormat(middle) === offset) high = middle;
      else low = middle;
    }
    return high;
  }

  /** Returns the offset at a second since the epoch. */
  #offsetFromFormat(second: number): number {
    const [, sign, hours, minutes, seconds] = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(this.#format.format(second * 1_000)) ?? [];
    if (hours === undefined) return 0;
    const total = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds ?? 0);
    return (sign === '-' ? -total : total) * 1_000;
  }
}
