import { size as sizeOf } from '../../kernel/client/size.js';

const second = 1_000;
const units = [
  ['d', 86_400 * second],
  ['h', 3_600 * second],
  ['min', 60 * second],
  ['s', second],
] as const;

/** Formats a time relative to now: `3 min ago`, `in 2 h`, `now`; `-` if there is none. */
export function ago(iso: string | null | undefined, now: number): string {
  const at = iso ? Date.parse(iso) : Number.NaN;
  if (Number.isNaN(at)) return '-';
  const away = Math.abs(now - at);
  if (away < second) return 'now';
  return at > now ? `in ${duration(away)}` : `${duration(away)} ago`;
}

/** Formats a duration in its largest unit: `45 s`, `3 min`, `2 h`, `9 d`. */
export function duration(ms: number): string {
  const [unit, length] = units.find(([, min]) => ms >= min) ?? ['ms', 1];
  return `${Math.floor(ms / length)} ${unit}`;
}

/** Formats bytes: `512 B`, `1.5 KiB`, `20 MiB`; `-` if unknown. */
export function size(bytes: number | null | undefined): string {
  return bytes === null || bytes === undefined ? '-' : sizeOf(bytes);
}

/** Formats a percentage, with one decimal below ten: `7.5 %`, `42 %`. */
export function percent(value: number | null | undefined): string {
  if (value === null || value === undefined) return '-';
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} %`;
}

/** Formats a number with thousands separators and at most one decimal: `12,345`, `0.3`. */
export function number(value: number | null | undefined): string {
  return value === null || value === undefined ? '-' : format.format(value);
}

/** Formats a count with its noun: `1 event`, `2 events`. The noun's plural must end in s. */
export function counted(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const format = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
