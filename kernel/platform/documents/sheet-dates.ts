import type { OfficePackage } from './office-package.js';

/** Format of a number: a day, a time of day or both, or a duration. */
export type DateStyle = 'date' | 'duration';

/** Formats of dates and times that every workbook has (ECMA-376 part 1, 18.8.30), Chinese, Japanese and Korean ones included. */
const builtin: readonly (readonly [first: number, last: number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];
/** The format `[h]:mm:ss`, which every workbook has too. */
const builtin_duration = 46;
const elapsed = /\[(?:h+|m+|s+)\]/i;
/** Day 0 of each calendar, as JavaScript counts. */
const epoch_1900 = Date.UTC(1899, 11, 30);
const epoch_1904 = Date.UTC(1904, 0, 1);
/** 31 December 9999, and the days between the calendars. */
const last_day = 2_958_465;
const days_apart = 1_462;

/** Returns the date format of each style of a cell; undefined if a style formats no date or time. */
export async function readDateStyles(office: OfficePackage, path: string): Promise<readonly (DateStyle | undefined)[]> {
  const formats = new Map<number, string>();
  const styles: number[] = [];
  let inStyles = false;
  await office.parse(path, {
    open(name, attributes) {
      const id = Number(attributes.get('numFmtId') ?? 0);
      if (name === 'numFmt') formats.set(id, attributes.get('formatCode') ?? '');
      if (name === 'cellXfs') inStyles = true;
      if (name === 'xf' && inStyles) styles.push(id);
    },
    close(name) {
      if (name === 'cellXfs') inStyles = false;
    },
  });
  return styles.map((id) => {
    const format = formats.get(id);
    return format === undefined ? builtinStyle(id) : styleOf(format);
  });
}

function builtinStyle(id: number): DateStyle | undefined {
  if (id === builtin_duration) return 'duration';
  return builtin.some(([first, last]) => id >= first && id <= last) ? 'date' : undefined;
}

/** Looks for the letters of dates outside of quoted text, colours and escapes. */
function styleOf(format: string): DateStyle | undefined {
  const plain = format.replace(/"[^"]*"|\\.|_.|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi, '');
  if (elapsed.test(plain)) return 'duration';
  return /[dhmsy]/i.test(plain) ? 'date' : undefined;
}

/** Formats a number of days as a date and time, or as a duration: `36:00:00`. */
export function timeText(serial: number, style: DateStyle, from_1904: boolean): string {
  return style === 'date' ? dateText(serial, from_1904) : durationText(serial);
}

function durationText(days: number): string {
  if (!(Math.abs(days) <= last_day)) return String(days);
  const seconds = Math.round(Math.abs(days) * 86_400);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return (days < 0 ? '-' : '') + parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** Formats a number of days as `2024-01-31`, `2024-01-31 09:30:00` or, without a day, `09:30:00`. */
function dateText(serial: number, from_1904: boolean): string {
  if (!(serial >= 0 && serial <= last_day - (from_1904 ? days_apart : 0))) return String(serial);
  // The calendar from 1900 has a 29 February 1900, which never was: the days before it are one later here.
  const days = !from_1904 && serial >= 1 && serial < 60 ? serial + 1 : serial;
  const iso = new Date((from_1904 ? epoch_1904 : epoch_1900) + Math.round(days * 86_400) * 1_000).toISOString();
  if (Number.isInteger(serial)) return iso.slice(0, 10);
  return serial < 1 ? iso.slice(11, 19) : `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}
