import { failures } from '../contract/failure.js';

/** What can go wrong with extensions themselves. */
export const hostCodes = {
  manifest_invalid: 400,
  plugin_not_found: 404,
  bundle_not_found: 404,
  extension_conflict: 409,
  extension_required: 409,
  dependency_missing: 409,
  engine_mismatch: 409,
  plugin_not_contained: 409,
  plugin_without_config: 409,
  permissions_not_accepted: 409,
  id_reserved: 409,
  extension_failed: 502,
} as const;

export const fail = failures(hostCodes);
