import { stripVTControlCharacters } from 'node:util';
import type { Ended } from '../shell.js';
import type { Place } from './place.js';
import type { Row } from './row.js';

/** Progress output on a terminal. */
const progress = /(\r[^\r\n]*)+\r/g;

const changing: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z?/g, '<time>'],
  [/(?<="ms": ?)\d+/g, '<ms>'],
  [/<uuid>\.[0-9a-f]+\.\d+/g, '<cursor>'],
];

/** How a command ended, without the ids that are made anew, times and folders. */
export function lasting({ code, stdout, stderr }: Ended, place: Place): Ended {
  const plain = (text: string) => {
    const here = stripVTControlCharacters(text)
      .replace(progress, '')
      .replaceAll(place.home, '<home>')
      .replaceAll(place.url || '<home>/data', '<platform>');
    const named = here.replaceAll('<home>/data', '<platform>');
    return changing.reduce((left, [pattern, word]) => left.replace(pattern, word), named);
  };
  return { code, stdout: plain(stdout), stderr: plain(stderr) };
}

/** The same without what is another each time, or on each way. */
export function alike({ code, stdout, stderr }: Ended, { differs = [] }: Row): Ended {
  const without = (text: string) => differs.reduce((left, pattern) => left.replace(pattern, '<other>'), text);
  return { code, stdout: without(stdout), stderr: without(stderr) };
}

/** The values between tabs that a terminal must show as well; objects stand in other words there. */
export function valuesIn(tabbed: string): string[] {
  const values = tabbed.split(/[\t\n]/).map(onOneLine);
  return [...new Set(values.filter((value) => value !== '' && !/^\[|\{|<other>/.test(value)))];
}

/** A text as it is in a cell: a record shows one of several lines below its key. */
export function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The records of an answer in JSON. */
export function recordsIn(answer: unknown): Record<string, unknown>[] {
  if (Array.isArray(answer)) return answer as Record<string, unknown>[];
  const record = answer as Record<string, unknown>;
  if (Array.isArray(record.items)) return record.items as Record<string, unknown>[];
  const lists = Object.values(record).filter((value) => Array.isArray(value));
  return 'total' in record && lists.length === 1 ? (lists[0] as Record<string, unknown>[]) : [record];
}
