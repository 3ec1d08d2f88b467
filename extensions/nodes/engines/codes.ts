import { failures } from '../../../kernel/contract/index.js';

/** Error codes of the connection to an engine, with their HTTP statuses. */
export const engineCodes = {
  engine_unavailable: 503,
  engine_error: 502,
  tls_untrusted: 502,
  ssh_host_key_mismatch: 502,
  ssh_auth_failed: 502,
} as const;

export const failEngine = failures(engineCodes);
