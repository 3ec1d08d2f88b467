import { failures } from '../../kernel/contract/index.js';

/** The failures of nodes' own, with their statuses. */
export const codes = {
  node_not_found: 404,
  node_name_taken: 409,
  node_removing: 409,
  node_not_ready: 409,
  no_shell: 409,
  node_busy: 503,
  command_failed: 502,
  path_not_found: 404,
  node_offline: 503,
  engine_unavailable: 503,
  engine_error: 502,
  tls_untrusted: 502,
  ssh_host_key_mismatch: 502,
  ssh_auth_failed: 502,
  image_pull_failed: 502,
  container_failed: 502,
} as const;

export const fail = failures(codes);
