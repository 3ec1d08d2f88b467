import { createHash } from 'node:crypto';

const unstorable = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]|\0/g;

/**
 * Returns the start of a text, at most `length` characters, in a form that a database can store. A cut text ends in …
 * and is never cut within a character.
 */
export function bounded(text: string, length: number): string {
  const start = text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
  return start.replace(unstorable, '\uFFFD');
}

/** Returns a short text that is equal for equal values. */
export function digestOf(...values: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 32);
}
