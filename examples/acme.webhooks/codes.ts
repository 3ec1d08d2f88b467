import { failures } from 'platform/contract';

export const codes = {
  hook_not_found: 404,
  too_many_hooks: 409,
  // Failures of the session, as chat raises them.
  session_not_found: 404,
  session_full: 409,
  signature_invalid: 401,
  timestamp_invalid: 401,
} as const;

export const fail = failures(codes);
