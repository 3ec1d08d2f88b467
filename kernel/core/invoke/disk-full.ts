import { type Failure, fail } from '../../contract/failure.js';

/** No space, and no space in the quota; the same as SQLite and PostgreSQL say it. */
const codes = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL', '53100']);
/** Whoever makes room needs some time for it. */
const retry_s = 10;

/** Returns a full disk's error, however wrapped, as a failure that says so; undefined for anything else. */
export function asDiskFull(thrown: unknown): Failure | undefined {
  for (let fault = thrown; fault instanceof Error; fault = causeOf(fault)) {
    if (!codes.has((fault as NodeJS.ErrnoException).code ?? '')) continue;
    return fail('disk_full', "The platform's disk is full; an administrator must make room", { cause: thrown, retry_after: retry_s });
  }
  return undefined;
}

/** hapi keeps what it wraps as `data`, Sequelize as `parent`. */
function causeOf(fault: Error): unknown {
  const { data, parent } = fault as { data?: unknown; parent?: unknown };
  return fault.cause ?? data ?? parent;
}
