import { isFailure } from '../../../kernel/contract/failure.js';

/** Codes of failures that end by themselves. `unexpected_answer`: a proxy answers in place of a server that restarts. */
const passing = [
  'unreachable',
  'unexpected_answer',
  'server_busy',
  'shutting_down',
  'extension_unavailable',
  'database_busy',
  'operation_timeout',
  'rate_limited',
  'idempotency_in_progress',
];

/** Returns whether the same call may succeed a little later. */
export function isPassing(error: unknown): boolean {
  return isFailure(error) && passing.includes(error.code);
}
