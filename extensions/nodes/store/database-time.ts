import type { Database } from '../../../kernel/contract/index.js';

/** The database's own time in SQL, in ms since the epoch, so that instances' clocks needn't agree. */
export function databaseTime({ dialect }: Pick<Database, 'dialect'>): string {
  return dialect === 'postgres'
    ? '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
    : "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";
}
