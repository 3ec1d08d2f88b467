import { cell, pad, type Row, valueAt, width, words } from './table.js';
import { harmless } from './terminal.js';

/** One record: a key and its value a line; what takes more lines than one stands below its key. */
export function record(row: Row, columns: readonly string[]): string {
  const keys = columns.map((column) => `${words(column)}:`);
  const longest = Math.max(...keys.map(width));
  const lines = columns.flatMap((column, index) => {
    const [key, value] = [keys[index] ?? '', valueAt(row, column)];
    const below = linesOf(value);
    return below === undefined ? [`${pad(key, longest)}  ${cell(value)}`] : [key, ...below.map((line) => `  ${line}`)];
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** Undefined where one line is enough. */
function linesOf(value: unknown): string[] | undefined {
  if (typeof value === 'string')
    return value.trimEnd().includes('\n') ? harmless(value.replaceAll('\r', '')).trimEnd().split('\n') : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return value.some(isObject) ? value.map(flat) : undefined;
  const there = Object.entries(value).filter(([, each]) => !isEmpty(each));
  return there.length === 0 ? [] : there.map(([key, each]) => `${words(key)}: ${flat(each)}`);
}

/** All in one line, without the keys. */
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
