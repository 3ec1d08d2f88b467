import type { SqlValue } from '../../../contract/data.js';

const quoted = /'(?:[^']|'')*'|"(?:[^"]|"")*"/;
const placeholder = /\$(\d+)/;
/** At the end of a statement or of a subquery. */
const row_lock = /\s+for\s+(?:no\s+key\s+)?(?:update|share)(?:\s+of\s+\w+)?(?:\s+(?:skip\s+locked|nowait))?(?=\s*(?:\)|;?\s*$))/;
const foreign = new RegExp(`${quoted.source}|${placeholder.source}|${row_lock.source}`, 'gi');

/** A statement as SQLite takes it: numbered placeholders, and no row locks, since transactions run one at a time. */
export function toSqlite(sql: string): string {
  return sql.replace(foreign, (found: string, number: string | undefined) => {
    if (number) return `?${number}`;
    return /^\s/.test(found) ? '' : found;
  });
}

/** The driver takes bytes only as a `Buffer`. */
export function toBindings(values: readonly SqlValue[]): unknown[] {
  return values.map((value) => (value instanceof Uint8Array && !Buffer.isBuffer(value) ? Buffer.from(value) : value));
}

/** Whether a statement is worth keeping ready: not what changes the schema or a setting, nor long lists of rows. */
export function isKept(sql: string): boolean {
  return sql.length <= 4_000 && /^\s*(?:select|insert|update|delete|with|begin|commit|rollback)\b/i.test(sql);
}
