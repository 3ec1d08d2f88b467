import { UsageError } from './exit.js';

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
/** What a timer can hold is a little more. */
const most_ms = 24 * 3_600_000;

/** Milliseconds of a flag's `90s`, `10m` or `2h`; at most a day. */
export function durationOf(text: string, flag: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const ms = Number(count) * (units[unit] ?? Number.NaN);
  if (ms <= most_ms) return ms;
  throw new UsageError(`'${text}' for ${flag} is no time`, `as in: ${flag} 90s, ${flag} 10m or ${flag} 2h; at most 24h`);
}
