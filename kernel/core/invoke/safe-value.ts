import { fail } from '../../contract/failure.js';

const max_depth = 64;

/**
 * Counts the values of an input. Rejects, whatever the operation's schema admits, values that break later code: deep nesting, prototype
 * keys, NUL characters (PostgreSQL can't store them) and lone surrogates (not valid UTF-8, so databases would store another text).
 */
export function assertSafeValue(value: unknown): number {
  let count = 0;
  let level: object[] = isNode(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > max_depth) throw fail('malformed_request', `The input is nested deeper than ${max_depth} levels`);
    const next: object[] = [];
    for (const node of level) count += visit(node, next);
    level = next;
  }
  return count;
}

function visit(node: object, next: object[]): number {
  const keys = Object.keys(node);
  const named = !Array.isArray(node);
  for (const key of keys) {
    if (named) assertKey(key);
    const child = (node as Record<string, unknown>)[key];
    if (typeof child === 'string') assertText(child);
    else if (isNode(child)) next.push(child);
  }
  return keys.length;
}

function assertKey(key: string): void {
  if (key === '__proto__') throw fail('malformed_request', "The input has a key named '__proto__'");
  assertText(key);
}

function assertText(text: string): void {
  if (text.includes('\0')) throw fail('malformed_request', 'The input contains a NUL character');
  if (!text.isWellFormed()) throw fail('malformed_request', 'The input contains a lone surrogate (half of a surrogate pair)');
}

/** Returns whether a value has children. Byte arrays are opaque. */
function isNode(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}
