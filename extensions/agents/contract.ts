/** The extension that answers for AI employees. It has no operations of its own yet. */
export interface Agents {
  id: 'agents';
  api: object;
  service: object;
  events: object;
}

/**
 * Why an AI employee's reply failed: `model_unavailable` (not reached, or overloaded), `model_auth` (the
 * key was refused), `model_quota` (no credit left), `model_rate_limited`, `context_overflow` (the
 * conversation is longer than the model takes), `timeout` (it fell silent), `model_error` (it answered
 * something else than an answer).
 */
export type ModelFault =
  | 'model_unavailable'
  | 'model_auth'
  | 'model_quota'
  | 'model_rate_limited'
  | 'context_overflow'
  | 'timeout'
  | 'model_error';
