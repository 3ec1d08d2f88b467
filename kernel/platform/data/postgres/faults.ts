import { isFailure } from '../../../contract/failure.js';
import { codeOf, failData, reasonOf } from '../failures.js';

/** With 25006 a standby refuses to write: after a failover the connection leads to the wrong server, or its server has changed. */
const lostCodes = /^(08...|57P0[1-3]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN|25006|28...|3D000)$/;
const lostSentences =
  /Connection terminated|not queryable|Client was closed|Query read timeout|timeout expired|closed the connection|manager was closed/i;
const lostNames = /^SequelizeConnection|^SequelizeHost|^SequelizeInvalidConnection|^SequelizeAccessDenied/;
/** Cancelled by a time-out, a lock not given in time, a deadlock, two transactions that can't both be. */
const busyCodes = /^(57014|55P03|40P01|40001)$/;
/** The pool's message if all of its connections stayed taken. */
const poolSentence = 'timeout exceeded when trying to connect';

/** Whether the connection is gone, or never came. */
export function isLost(thrown: unknown): boolean {
  if (isFailure(thrown)) return false;
  const cause = causeOf(thrown);
  const name = thrown instanceof Error ? thrown.name : '';
  if (name === 'SequelizeConnectionAcquireTimeoutError') return false;
  return lostNames.test(name) || lostCodes.test(codeOf(cause)) || (codeOf(cause) === '' && lostSentences.test(reasonOf(cause)));
}

/** Whether the connection on which this was thrown is of no more use, also where a transaction has explained it already. */
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

/** Sequelize wraps the driver's error. */
function causeOf(thrown: unknown): unknown {
  return (thrown as { parent?: unknown } | undefined)?.parent ?? thrown;
}
