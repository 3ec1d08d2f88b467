import { failures } from '../contract/failure.js';

/** What can be wrong with a bundle. A message names the file within it, wherever there is one. */
export const bundleCodes = {
  bundle_unreadable: 404,
  bundle_not_zip: 400,
  bundle_too_large: 413,
  bundle_truncated: 400,
  bundle_stray_bytes: 400,
  bundle_damaged: 400,
  bundle_unsupported: 400,
  bundle_encrypted: 400,
  bundle_overlapping: 400,
  bundle_crc_mismatch: 400,
  bundle_size_mismatch: 400,
  bundle_header_mismatch: 400,
  bundle_hash_mismatch: 409,
  bundle_too_many_entries: 400,
  bundle_unpacked_too_large: 413,
  bundle_ratio_too_high: 400,
  bundle_path_unsafe: 400,
  bundle_name_collision: 400,
  bundle_special_entry: 400,
  bundle_native_code: 400,
  bundle_type_mismatch: 400,
  bundle_timeout: 503,
  manifest_missing: 400,
  manifest_invalid: 400,
  id_reserved: 409,
  main_missing: 400,
  main_too_large: 413,
  readme_invalid: 400,
  skill_missing: 400,
  skill_invalid: 400,
  folder_exists: 409,
  pack_failed: 400,
} as const;

export const fail = failures(bundleCodes);
