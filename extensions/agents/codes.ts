import { failures } from '../../kernel/contract/index.js';

/** Error codes of this extension with their HTTP statuses. */
export const codes = {
  no_ai_employee: 409,
  employee_not_found: 404,
  model_unavailable: 503,
  model_auth: 502,
  model_quota: 502,
  model_rate_limited: 503,
  model_error: 502,
  context_overflow: 502,
  timeout: 503,
  interrupted: 503,
  cancelled: 409,
  reply_failed: 502,
  // Raised by the OpenAI-compatible endpoint; in a chat the task waits.
  node_offline: 503,
  node_draining: 503,
  // Raised by chat and passed through.
  session_not_found: 404,
  session_busy: 409,
  too_many_tasks: 429,
  step_limit: 503,
  token_limit: 503,
  approval_not_found: 404,
  approval_decided: 409,
  approval_expired: 409,
  approval_cancelled: 409,
  approval_needs_person: 403,
} as const;

export const fail = failures(codes);
