import type { SqlValue } from '../../../contract/data.js';

const quoted = /'(?:[^']|'')*'|"(?:[^"]|"")*"/;
const placeholder = /\$(\d+)/;
/** Row lock at the end of a statement or subquery. */
const row_lock = /\s+for\s+(?:no\s+key\s+)?(?:update|share)(?:\s+of\s+\w+)?(?:\s+(?:skip\s+locked|nowait))?(?=\s*(?:\)|;?\s*$))/;
const foreign = new RegExp(`${quoted.source}|${placeholder.source}|${row_lock.source}`, 'gi');

/** Converts a statement to SQLite: numbered placeholders, and no row locks, because transactions run one at a time. */
export function toSqlite(sql: string): string {
  return sql.replace(foreign, (found: string, number: string | undefined) => {
    if (number) return `?${number}`;
    return /^\s/.test(found) ? '' : found;
  });
}

/** Converts values for the driver, which accepts bytes only as a `Buffer`. */
export function toBindings(values: readonly SqlValue[]): unknown[] {
  return values.map((value) => (value instanceof Uint8Array && !Buffer.isBuffer(value) ? Buffer.from(value) : value));
}

/** Returns whether a statement stays prepared: not one that changes the schema or a setting, nor long lists of rows. */
export function staysPrepared(sql: string): boolean {
  return sql.length <= 4_000 && /^\s*(?:select|insert|update|delete|with|begin|commit|rollback)\b/i.test(sql);
}
