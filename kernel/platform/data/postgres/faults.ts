import { isFailure } from '../../../contract/failure.js';
import { codeOf, failData, reasonOf } from '../failures.js';

/** Codes of lost connections. 25006 is a write refused by a standby: after a failover the connection leads to the wrong server. */
const lostCodes = /^(08...|57P0[1-3]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN|25006|28...|3D000)$/;
const lostSentences =
  /Connection terminated|not queryable|Client was closed|Query read timeout|timeout expired|closed the connection|manager was closed/i;
const lostNames = /^SequelizeConnection|^SequelizeHost|^SequelizeInvalidConnection|^SequelizeAccessDenied/;
/** Codes of a busy server: time-out, lock time-out, deadlock, serialisation failure. */
const busyCodes = /^(57014|55P03|40P01|40001)$/;
/** The pool's message if all its connections stayed in use. */
const poolSentence = 'timeout exceeded when trying to connect';

/** Returns whether the connection was lost or could not be opened. */
export function isLost(thrown: unknown): boolean {
  if (isFailure(thrown)) return false;
  const cause = causeOf(thrown);
  const name = thrown instanceof Error ? thrown.name : '';
  if (name === 'SequelizeConnectionAcquireTimeoutError') return false;
  return lostNames.test(name) || lostCodes.test(codeOf(cause)) || (codeOf(cause) === '' && lostSentences.test(reasonOf(cause)));
}

/** Returns whether the connection is unusable after this error, even if a transaction has converted the error already. */
export function isUseless(thrown: unknown): boolean {
  return isLost(isFailure(thrown) && thrown.code === 'database_unavailable' ? thrown.cause : thrown);
}

export function explain(thrown: unknown): unknown {
  if (isFailure(thrown)) return thrown;
  const cause = causeOf(thrown);
  if (isLost(thrown)) {
    return failData('database_unavailable', `The PostgreSQL server can't be reached: ${reasonOf(cause)}`, { cause, retry_after: 1 });
  }
  if (isBusy(thrown, cause)) {
    return failData('database_busy', `The PostgreSQL server is too busy: ${reasonOf(cause)}`, { cause, retry_after: 1 });
  }
  return thrown;
}

function isBusy(thrown: unknown, cause: unknown): boolean {
  if (busyCodes.test(codeOf(cause)) || reasonOf(cause) === poolSentence) return true;
  return thrown instanceof Error && thrown.name === 'SequelizeConnectionAcquireTimeoutError';
}

/** Returns the driver's error, which Sequelize wraps. */
function causeOf(thrown: unknown): unknown {
  return (thrown as { parent?: unknown } | undefined)?.parent ?? thrown;
}
