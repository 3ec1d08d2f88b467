import { failures, isFailure } from '../../../kernel/contract/index.js';

/** Error codes of sources, with their HTTP statuses. */
export const sourceCodes = {
  /** Unreachable, too slow, or the token is rejected. */
  source_unavailable: 503,
  /** Its response is invalid. */
  source_invalid: 502,
  source_too_large: 502,
  source_hash_mismatch: 502,
  /** The bundle differs from what was announced or signed. */
  source_mismatch: 502,
} as const;

export const fail = failures(sourceCodes);

/** Returns the loggable part of a fault: an unavailable source needs no stack trace with every search. */
export function loggable(fault: unknown): object {
  return isFailure(fault) ? { code: fault.code, reason: fault.message } : { err: fault };
}
