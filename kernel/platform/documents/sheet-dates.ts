import type { OfficePackage } from './office-package.js';

/** Formats of dates and times that every workbook has (ECMA-376 part 1, 18.8.30), Chinese, Japanese and Korean ones included. */
const builtin: readonly (readonly [first: number, last: number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];
/** Day 0 of each calendar, as JavaScript counts. */
const epoch_1900 = Date.UTC(1899, 11, 30);
const epoch_1904 = Date.UTC(1904, 0, 1);
/** 31 December 9999. */
const last_day = 2_958_465;

/** Returns for each style of a cell whether it shows a date or a time. */
export async function readDateStyles(office: OfficePackage, path: string): Promise<readonly boolean[]> {
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
    return format === undefined ? builtin.some(([first, last]) => id >= first && id <= last) : isDateFormat(format);
  });
}

/** Returns whether a format has letters of dates outside of quoted text, colours and escapes. */
function isDateFormat(format: string): boolean {
  return /[dhmsy]/i.test(format.replace(/"[^"]*"|\\.|_.|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi, ''));
}

/** Returns a day number as `2024-01-31`, `2024-01-31 09:30:00` or, without a day, `09:30:00`. */
export function dateText(serial: number, from_1904: boolean): string {
  if (!(serial >= 0 && serial <= last_day)) return String(serial);
  // The calendar from 1900 has a 29 February 1900, which was none: days before it are one later here.
  const days = !from_1904 && serial >= 1 && serial < 60 ? serial + 1 : serial;
  const iso = new Date((from_1904 ? epoch_1904 : epoch_1900) + Math.round(days * 86_400) * 1_000).toISOString();
  if (Number.isInteger(serial)) return iso.slice(0, 10);
  return serial < 1 ? iso.slice(11, 19) : `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}
