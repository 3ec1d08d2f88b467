import { failures } from '../../../kernel/contract/index.js';

/** Error codes of triggers and their statuses. */
export const triggerCodes = {
  /** The value or the time zone can't be parsed: each fault is in `details`, under its path. */
  trigger_invalid: 400,
  /** A valid cron expression without a time within eight years. */
  never_runs: 400,
} as const;

export const fail = failures(triggerCodes);
