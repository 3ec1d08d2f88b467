import { type Failure, fail } from '../../contract/failure.js';

/** Error codes of a full disk or quota, from the system, SQLite and PostgreSQL. */
const codes = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL', '53100']);
/** Suggested wait while an administrator frees space. */
const retry_s = 10;

/** Returns the error of a full disk, however wrapped, as `disk_full`; undefined for other errors. */
export function asDiskFull(thrown: unknown): Failure | undefined {
  for (let fault = thrown; fault instanceof Error; fault = causeOf(fault)) {
    if (!codes.has((fault as NodeJS.ErrnoException).code ?? '')) continue;
    return fail('disk_full', "The platform's disk is full; an administrator must free space", { cause: thrown, retry_after: retry_s });
  }
  return undefined;
}

/** Returns the wrapped error: hapi stores it in `data`, Sequelize in `parent`. */
function causeOf(fault: Error): unknown {
  const { data, parent } = fault as { data?: unknown; parent?: unknown };
  return fault.cause ?? data ?? parent;
}
