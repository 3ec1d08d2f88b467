import { UsageError } from './exit.js';

const spans = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats a duration in its two largest units: `3 h 12 min`. */
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

/** Formats a number with thousands separators: `1,234,567`. */
export function grouped(value: number): string {
  return value.toLocaleString('en-US');
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
/** One day. The limit of Node's timers, 24.8 days, is above it. */
const max_ms = 24 * 3_600_000;

/** Parses the value of a flag, `90s`, `10m` or `2h`, to milliseconds; at most a day. */
export function durationOf(text: string, flag: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const ms = Number(count) * (units[unit] ?? Number.NaN);
  if (ms <= max_ms) return ms;
  throw new UsageError(`'${text}' for ${flag} is not a duration`, `as in: ${flag} 90s, ${flag} 10m or ${flag} 2h; at most 24h`);
}
