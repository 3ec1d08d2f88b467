import { failures } from '../../kernel/contract/index.js';

/** Error codes of the notifications and their statuses. */
export const codes = {
  notification_not_found: 404,
  channel_not_found: 404,
  channel_not_set_up: 409,
} as const;

export const fail = failures(codes);
