import { failures } from '../../contract/failure.js';

/** A file to write into an archive. Its size must be known first, because a tar stores it before the content. */
export interface Entry {
  name: string;
  bytes: number;
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** An entry while an archive is read. */
export interface ReadEntry {
  name: string;
  bytes: number;
  /** Must be read once, to its end. Only the end of the archive shows whether it was altered. */
  content: AsyncIterable<Uint8Array>;
}

/** Failure codes of backup and restore. */
export const backupCodes = {
  /** The archive could not be written: a full disk, an unwritable folder, a file that vanished. No partial archive is left. */
  backup_failed: 500,
  /** The archive could not be restored: a full disk, an unwritable folder. No partial data is left. */
  restore_failed: 500,
  backup_not_found: 404,
  /** The archive is truncated or was changed. */
  backup_damaged: 400,
  /** The file is not an archive of a platform, or its format is unknown to this program. */
  backup_format_unknown: 400,
  /** The archive is from the other kind of database. */
  backup_other_database: 409,
  /** The target of the restore is not empty. */
  restore_not_empty: 409,
} as const;

export const failBackup = failures(backupCodes);
