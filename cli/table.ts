import { shortIds } from '../kernel/client/short-ids.js';
import { harmless } from './terminal.js';

export type Row = Readonly<Record<string, unknown>>;

/** One value in a cell: on one line, nothing in it that a terminal would obey. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.map(cell).join(',');
  if (isRecords(value) && value.every(isField)) return value.map(fieldText).join(', ');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return harmless(text.replace(/[\t\r\n]+/g, ' '));
}

/** A setting that something needs, as a channel of notifications. */
function isField(row: Row): row is Row & { name: string; required: boolean } {
  return typeof row.name === 'string' && typeof row.required === 'boolean';
}

function fieldText({ name, required }: { name: string; required: boolean }): string {
  return required ? cell(name) : `${cell(name)} (optional)`;
}

/** Values between tabs, a row a line, without a heading: for other programs. */
export function tabbed(rows: readonly Row[], columns: readonly string[]): string {
  return rows.map((row) => `${columns.map((column) => cell(valueAt(row, column))).join('\t')}\n`).join('');
}

/** One record, a line for each value with its key before it; of a list of records a line for each. */
export function keyed(row: Row, columns: readonly string[]): string {
  const lines = columns.flatMap((column) => {
    const value = valueAt(row, column);
    return isRecords(value) ? value.map((one) => [words(column), ...Object.values(one)]) : [[words(column), value]];
  });
  return lines.map((line) => `${line.map(cell).join('\t')}\n`).join('');
}

/** Whether a value is a list of records. */
export function isRecords(value: unknown): value is readonly Row[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'object' && one !== null);
}

export interface TableStyle {
  /** Of the terminal, in columns. */
  width: number;
  bold: boolean;
}

/** Aligned columns under a heading: for people. The last column is cut at the terminal's edge. */
export function table(rows: readonly Row[], columns: readonly string[], style: TableStyle): string {
  const heading = columns.map((column) => words(column).toUpperCase());
  const cells = columns.map((column) => shortIds(rows.map((row) => cell(valueAt(row, column)))));
  const lines = [heading, ...rows.map((_row, at) => cells.map((column) => column[at] ?? ''))];
  const widths = columns.map((_column, index) => Math.max(...lines.map((line) => width(line[index] ?? ''))));
  const aligned = lines.map((line) =>
    cut(line.map((text, index) => pad(text, index === line.length - 1 ? 0 : (widths[index] ?? 0))).join('  '), style.width),
  );
  return aligned.map((line, index) => `${index === 0 && style.bold ? `\u001B[1m${line}\u001B[22m` : line}\n`).join('');
}

/** A key as people read it: `created_at` is `created at`, and `publisher.username` `publisher username`. A plugin chooses those of its answers. */
export function words(key: string): string {
  return cell(key).replaceAll(/[_.]/g, ' ');
}

/** What a record has under a key; dotted, what lies within that. */
export function valueAt(row: Row, key: string): unknown {
  return key.split('.').reduce<unknown>((value, name) => (value as Row | null | undefined)?.[name], row);
}

export function pad(text: string, length: number): string {
  return text + ' '.repeat(Math.max(0, length - width(text)));
}

/** A line that fits, with `…` where something was left out. */
export function cut(line: string, length: number): string {
  if (width(line) <= length) return line;
  let kept = '';
  for (const character of line) {
    if (width(kept) + width(character) > length - 1) break;
    kept += character;
  }
  return `${kept}…`;
}

// Chinese, Japanese and Korean characters and emoji take two columns, combining marks none (Unicode UAX 11, in its main lines). It is our
// own because loading string-width, which the dashboard uses, would take every command 30 ms.
const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;

/** How many columns a text takes. */
export function width(text: string): number {
  let columns = 0;
  for (const character of text) columns += /\p{Mn}|\u200D|\uFE0F/u.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return columns;
}
