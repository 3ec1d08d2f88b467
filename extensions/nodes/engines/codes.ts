import { failures } from '../../../kernel/contract/index.js';

/** What goes wrong between the platform and an engine, with its status. */
export const engineCodes = {
  engine_unavailable: 503,
  engine_error: 502,
  tls_untrusted: 502,
  ssh_host_key_mismatch: 502,
  ssh_auth_failed: 502,
} as const;

export const failEngine = failures(engineCodes);
