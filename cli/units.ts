import { UsageError } from './exit.js';

const spans = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** A length of time in its two largest units: `3 h 12 min`. */
export function duration(seconds: number): string {
  let rest = Math.floor(seconds);
  const parts: string[] = [];
  for (const [unit, length] of spans) {
    const amount = Math.floor(rest / length);
    rest -= amount * length;
    if (amount > 0 || parts.length > 0) parts.push(amount > 0 ? `${amount} ${unit}` : '');
  }
  return parts.slice(0, 2).filter(Boolean).join(' ') || '0 s';
}

/** A number with its thousands apart: `1,234,567`. */
export function grouped(value: number): string {
  return value.toLocaleString('en-US');
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
/** What a timer can hold is a little more. */
const max_ms = 24 * 3_600_000;

/** Milliseconds of a flag's `90s`, `10m` or `2h`; at most a day. */
export function durationOf(text: string, flag: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const ms = Number(count) * (units[unit] ?? Number.NaN);
  if (ms <= max_ms) return ms;
  throw new UsageError(`'${text}' for ${flag} is no time`, `as in: ${flag} 90s, ${flag} 10m or ${flag} 2h; at most 24h`);
}
