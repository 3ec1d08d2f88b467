import { failures } from '../../kernel/contract/index.js';
import { engineCodes } from './engines/codes.js';

/** Error codes of this extension with their HTTP statuses. */
export const codes = {
  ...engineCodes,
  node_not_found: 404,
  node_name_taken: 409,
  node_removing: 409,
  node_not_ready: 409,
  no_shell: 409,
  node_busy: 503,
  command_failed: 502,
  path_not_found: 404,
  node_offline: 503,
  image_pull_failed: 502,
  container_failed: 502,
} as const;

export const fail = failures(codes);
