import { failures } from '../../../kernel/contract/index.js';

/** The failures of a trigger, with their statuses. */
export const triggerCodes = {
  /** The value or the time zone can't be read: each fault is in `details`, under its path. */
  trigger_invalid: 400,
  /** A cron expression that can be read, but has no time within eight years. */
  never_runs: 400,
} as const;

export const fail = failures(triggerCodes);
