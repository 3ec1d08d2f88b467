import { createHash } from 'node:crypto';

const unstorable = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]|\0/g;

/** The start of a text, at most `length` characters, as a database can keep it; what was cut ends in …, never within a character. */
export function bounded(text: string, length: number): string {
  const start = text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
  return start.replace(unstorable, '\uFFFD');
}

/** A short text that is equal where all of the values are. */
export function digestOf(...values: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 32);
}
