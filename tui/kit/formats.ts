import { size as sizeOf } from '../../kernel/client/size.js';

const second = 1_000;
const units = [
  ['d', 86_400 * second],
  ['h', 3_600 * second],
  ['min', 60 * second],
  ['s', second],
] as const;

/** How long ago a time was, or how far it is ahead: `3 min ago`, `in 2 h`, `now`; `-` where there is none. */
export function ago(iso: string | null | undefined, now: number): string {
  const at = iso ? Date.parse(iso) : Number.NaN;
  if (Number.isNaN(at)) return '-';
  const away = Math.abs(now - at);
  if (away < second) return 'now';
  return at > now ? `in ${duration(away)}` : `${duration(away)} ago`;
}

/** A length of time by its largest unit: `45 s`, `3 min`, `2 h`, `9 d`. */
export function duration(ms: number): string {
  const [unit, length] = units.find(([, min]) => ms >= min) ?? ['ms', 1];
  return `${Math.floor(ms / length)} ${unit}`;
}

/** Bytes as people read them: `512 B`, `1.5 KiB`, `20 MiB`; `-` where nobody knows. */
export function size(bytes: number | null | undefined): string {
  return bytes === null || bytes === undefined ? '-' : sizeOf(bytes);
}

/** Of 100, with one place where it is below ten: `7.5 %`, `42 %`. */
export function percent(value: number | null | undefined): string {
  if (value === null || value === undefined) return '-';
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} %`;
}

/** With a comma between thousands, at most one place after the point: `12,345`, `0.3`. */
export function number(value: number | null | undefined): string {
  return value === null || value === undefined ? '-' : format.format(value);
}

/** How many of something there are: `1 event`, `2 events`. `noun` is one whose plural ends in an s. */
export function counted(count: number, noun: string): string {
  return `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const format = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
