import { failures } from '../../contract/failure.js';

/** Failures of moving an installation from SQLite to PostgreSQL. After any of them the target is as it was. */
const moveCodes = {
  /** There is no SQLite file to move. */
  move_source_missing: 404,
  /** The source lacks migrations of this program. */
  move_source_older: 409,
  /** The source has tables of an extension that this program lacks. */
  move_extension_missing: 409,
  /** The tables differ although both have run the same migrations. */
  move_tables_differ: 409,
  /** The source has a value that the target's column can't store. */
  move_value_refused: 409,
  move_target_invalid: 400,
  move_target_not_empty: 409,
  move_target_missing: 404,
  move_target_unreachable: 503,
  move_target_denied: 403,
  move_target_full: 507,
  /** The connection was lost during the move. */
  move_cut: 503,
  /** The target's content differs from the source's. */
  move_differs: 500,
} as const;

export const failMove = failures(moveCodes);
