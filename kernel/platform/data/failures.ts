import { failures } from '../../contract/failure.js';

/** Failure codes of the data layer. Those with status 503 may be transient. */
const dataCodes = {
  database_busy: 503,
  database_unavailable: 503,
  database_corrupt: 503,
  database_in_use: 503,
  schema_newer: 503,
  data_dir_unwritable: 503,
  data_dir_locked: 503,
  secret_key_missing: 503,
  secret_key_wrong: 503,
  blob_corrupt: 500,
  blob_missing: 503,
  storage_key_invalid: 400,
  storage_value_too_large: 413,
  storage_full: 409,
} as const;

export const failData = failures(dataCodes);

/** Returns the text of a thrown value, for a message. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The `code` of a driver's or the system's error, or ''. */
export function codeOf(thrown: unknown): string {
  const code = (thrown as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
