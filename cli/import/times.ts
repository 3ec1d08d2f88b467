import type { Remarks } from './remarks.js';

/** Clocks of servers may be ahead by so much. */
const ahead_ms = 24 * 3_600_000;

/** Reads times of exports in s, ms, µs or ns since the epoch: a number, or a text as `1700000000.000100`. */
export class Times {
  readonly #now_ms: number;
  readonly #remarks: Remarks;

  constructor(remarks: Remarks, now_ms: number) {
    this.#remarks = remarks;
    this.#now_ms = now_ms;
  }

  /** Returns a time in ms; the other one if it is unusable, which is remarked. */
  of(value: unknown, otherwise_ms: number): number {
    const read = this.optional(value);
    if (read !== undefined) return read;
    this.#remarks.add('messages had no usable time and got that of the message before them', JSON.stringify(value) ?? 'none');
    return otherwise_ms;
  }

  /** Returns a time in ms; undefined if it is missing, not after 1970, or in the future. */
  optional(value: unknown): number | undefined {
    const number = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isFinite(number) || number <= 0) return undefined;
    const ms = Math.floor(number * perMs(number));
    return ms > 0 && ms <= this.#now_ms + ahead_ms ? Math.min(ms, this.#now_ms) : undefined;
  }
}

/** Returns how many ms the unit of a time has. Until the year 5138 a number of s has at most eleven digits. */
function perMs(number: number): number {
  if (number < 1e11) return 1_000;
  if (number < 1e14) return 1;
  return number < 1e17 ? 1e-3 : 1e-6;
}
