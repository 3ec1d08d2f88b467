import { failures } from '../../kernel/contract/index.js';

/** Error codes of this extension with their HTTP statuses. */
export const codes = {
  invalid_credentials: 401,
  refresh_token_reused: 401,
  wrong_password: 403,
  seat_limit_reached: 403,
  member_not_found: 404,
  token_not_found: 404,
  login_not_found: 404,
  invitation_not_found: 404,
  reset_not_found: 404,
  device_code_not_found: 404,
  username_taken: 409,
  email_taken: 409,
  last_admin: 409,
  member_is_virtual: 409,
  token_limit_reached: 409,
  invitation_limit_reached: 409,
  mail_not_set_up: 409,
} as const;

export const fail = failures(codes);
