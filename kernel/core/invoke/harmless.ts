import { fail } from '../../contract/failure.js';

const max_depth = 64;

/**
 * Refuses, whatever the schema of an operation admits, what would break those that walk, store or send a value
 * later: deep nesting, prototype keys, NUL characters (PostgreSQL has none), halves of surrogate pairs (UTF-8
 * has none, so that each database would keep other text than was sent). Gives how many values there are.
 */
export function measureHarmless(value: unknown): number {
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
  if (!text.isWellFormed()) throw fail('malformed_request', 'The input contains half of a surrogate pair, which is no character');
}

/** Bytes are opaque. */
function isNode(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}
