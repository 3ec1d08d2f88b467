import { shortIds } from '../kernel/client/short-ids.js';
import { harmless } from './terminal.js';

export type Row = Readonly<Record<string, unknown>>;

/** Formats a value for a cell: on one line, without control characters. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.map(cell).join(',');
  if (isRecords(value) && value.every(isField)) return value.map(fieldText).join(', ');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return harmless(text.replace(/[\t\r\n]+/g, ' '));
}

/** Returns whether a row describes a required or optional field, such as a setting of a notification channel. */
function isField(row: Row): row is Row & { name: string; required: boolean } {
  return typeof row.name === 'string' && typeof row.required === 'boolean';
}

function fieldText({ name, required }: { name: string; required: boolean }): string {
  return required ? cell(name) : `${cell(name)} (optional)`;
}

/** Formats rows as tab-separated values without a heading, for other programs. */
export function tabbed(rows: readonly Row[], columns: readonly string[]): string {
  return rows.map((row) => `${columns.map((column) => cell(valueAt(row, column))).join('\t')}\n`).join('');
}

/** Formats one record, a line for each key and value; a list of records gets a line for each record, and a long text one for each line. */
export function keyed(row: Row, columns: readonly string[]): string {
  const lines = columns.flatMap((column) => {
    const value = valueAt(row, column);
    if (isRecords(value)) return value.map((one) => [words(column), ...Object.values(one)]);
    const texts = typeof value === 'string' ? value.trimEnd().split(/\r?\n/) : [value];
    return texts.map((text) => [words(column), text]);
  });
  return lines.map((line) => `${line.map(cell).join('\t')}\n`).join('');
}

/** Returns whether a value is a non-empty list of records. */
export function isRecords(value: unknown): value is readonly Row[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'object' && one !== null);
}

export interface TableStyle {
  /** Width of the terminal in columns. */
  width: number;
  bold: boolean;
}

/** Formats aligned columns under a heading, for people. Lines are truncated at the terminal's edge. */
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

/** Formats a key for people: `created_at` becomes `created at`, `publisher.username` `publisher username`. Sanitised, because plugins choose keys. */
export function words(key: string): string {
  return cell(key).replaceAll(/[_.]/g, ' ');
}

/** Returns the value of a key; a dotted key reads a nested object. */
export function valueAt(row: Row, key: string): unknown {
  return key.split('.').reduce<unknown>((value, name) => (value as Row | null | undefined)?.[name], row);
}

export function pad(text: string, length: number): string {
  return text + ' '.repeat(Math.max(0, length - width(text)));
}

/** Truncates a line to a width; `…` marks the cut. */
export function cut(line: string, length: number): string {
  if (width(line) <= length) return line;
  let fitting = '';
  for (const character of line) {
    if (width(fitting) + width(character) > length - 1) break;
    fitting += character;
  }
  return `${fitting}…`;
}

// Chinese, Japanese and Korean characters and emoji take two columns, combining marks none (the main rules of Unicode UAX 11). We don't
// use string-width, as the dashboard does, because loading it would cost every command 30 ms.
const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;

/** Returns the number of columns that a text takes. */
export function width(text: string): number {
  let columns = 0;
  for (const character of text) columns += /\p{Mn}|\u200D|\uFE0F/u.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return columns;
}
