import { failures, isFailure } from '../../../kernel/contract/index.js';

/** What can be wrong with where else bundles come from. */
export const sourceCodes = {
  /** Not reached, not in time, or it doesn't let us in. */
  source_unavailable: 503,
  /** What it says makes no sense. */
  source_invalid: 502,
  source_too_large: 502,
  source_hash_mismatch: 502,
  /** The bundle is another one than was announced, or not the one that was signed. */
  source_mismatch: 502,
} as const;

export const fail = failures(sourceCodes);

/** What of a fault goes into the log: a source that is away is no reason for a stack at every search. */
export function loggable(fault: unknown): object {
  return isFailure(fault) ? { code: fault.code, reason: fault.message } : { err: fault };
}
