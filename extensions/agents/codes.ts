import { failures } from '../../kernel/contract/index.js';

/** The failures of agents' own, with their statuses. */
const codes = {
  no_ai_employee: 409,
  model_unavailable: 503,
  model_auth: 502,
  model_quota: 502,
  model_rate_limited: 503,
  model_error: 502,
  context_overflow: 502,
  timeout: 503,
  interrupted: 503,
} as const;

export const fail = failures(codes);
