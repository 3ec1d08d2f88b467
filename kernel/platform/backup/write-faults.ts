import { isFailure } from '../../contract/failure.js';
import { codeOf, reasonOf } from '../data/failures.js';

/**
 * Turns what the system or SQLite says of a write into `failed` with a reason in plain words, and leaves all other faults as they are.
 * The system's own words name paths, which are for the log alone.
 */
export function explainWriting(fault: unknown, failed: (reason: string, cause: unknown) => Error): unknown {
  const explained = (cause: unknown) => failed(reasons[codeOf(cause)] ?? (codeOf(cause) || reasonOf(cause)), cause);
  if (isFailure(fault))
    return fault.code === 'database_unavailable' && /FULL|IOERR/.test(codeOf(fault.cause)) ? explained(fault.cause) : fault;
  return /^(E[A-Z]+|53100|SQLITE_(FULL|IOERR.*|CANTOPEN|ERROR))$/.test(codeOf(fault)) ? explained(fault) : fault;
}

const full = 'no space is left on the disk';
const reasons: Readonly<Record<string, string>> = {
  ENOSPC: full,
  EDQUOT: 'no space is left in the quota',
  SQLITE_FULL: full,
  // PostgreSQL's `disk_full`.
  '53100': full,
  EACCES: 'the folder is not writable',
  EROFS: 'the disk can only be read',
};
