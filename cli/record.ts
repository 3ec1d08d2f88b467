import { cell, pad, type Row, valueAt, width, words } from './table.js';
import { harmless } from './terminal.js';
import { wrapped } from './wrap.js';

/**
 * Formats one record, a key and its value a line. A multi-line value goes below its key; a long one is wrapped between words to
 * `terminal_columns`.
 */
export function record(row: Row, columns: readonly string[], terminal_columns = Number.POSITIVE_INFINITY): string {
  const keys = columns.map((column) => `${words(column)}:`);
  const longest = Math.max(...keys.map(width));
  const lines = columns.flatMap((column, index) => {
    const [key, value] = [keys[index] ?? '', valueAt(row, column)];
    const below = linesOf(value);
    if (below === undefined) return hanging(`${pad(key, longest)}  `, cell(value), terminal_columns);
    return [key, ...below.flatMap((line) => hanging('  ', line, terminal_columns, 4))];
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** Wraps a text behind a head with a hanging indent. A long word is never broken, so that it can be copied. */
export function hanging(head: string, text: string, columns: number, indent = width(head)): string[] {
  if (width(head) + width(text) <= columns) return [head + text];
  const lines = wrapped(text, Math.max(20, columns - indent));
  return lines.map((line, index) => (index === 0 ? head : ' '.repeat(indent)) + line);
}

/** Returns the lines of a value; undefined if one line is enough. */
function linesOf(value: unknown): string[] | undefined {
  if (typeof value === 'string')
    return value.trimEnd().includes('\n') ? harmless(value.replaceAll('\r', '')).trimEnd().split('\n') : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return value.some(isObject) ? value.map(flat) : undefined;
  const present = Object.entries(value).filter(([, each]) => !isEmpty(each));
  return present.length === 0
    ? []
    : present.map(([key, each]) => `${words(key)}: ${isObject(each) && !Array.isArray(each) ? labelled(each).join('; ') : flat(each)}`);
}

/** Returns the values of an object, each behind its key; nested values are behind both keys. */
function labelled(value: object, above = ''): string[] {
  return Object.entries(value)
    .filter(([, each]) => !isEmpty(each))
    .flatMap(([key, each]) =>
      isObject(each) && !Array.isArray(each) ? labelled(each, `${above}${words(key)} `) : [`${above}${words(key)}: ${flat(each)}`],
    );
}

/** Formats a value in one line, without keys. */
function flat(value: unknown): string {
  if (Array.isArray(value)) return value.map(flat).join(', ');
  if (!isObject(value)) return cell(value);
  return Object.values(value)
    .filter((each) => !isEmpty(each))
    .map(flat)
    .join('  ');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (isObject(value) && Object.keys(value).length === 0);
}
