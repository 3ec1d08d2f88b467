import { failures } from '../../kernel/contract/index.js';
import { triggerCodes } from './triggers/codes.js';

/** Error codes of the schedules and their statuses. */
export const codes = {
  ...triggerCodes,
  schedule_not_found: 404,
  run_not_found: 404,
  run_finished: 409,
  time_passed: 409,
  params_unreadable: 409,
  action_not_found: 400,
  http_status: 502,
  command_failed: 502,
  // From the guarded fetch.
  fetch_bad_url: 400,
  fetch_address_refused: 400,
  fetch_failed: 502,
  fetch_timeout: 502,
  fetch_too_large: 502,
} as const;

export const fail = failures(codes);
