import { failures } from '../../contract/failure.js';

/** A file of an archive that is to be written; its size comes first in a tar. */
export interface Entry {
  name: string;
  bytes: number;
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** An entry of an archive, as it goes by. */
export interface ReadEntry {
  name: string;
  bytes: number;
  /** To be read to its end, once. Whether it was altered is known only at the archive's end. */
  content: AsyncIterable<Uint8Array>;
}

/** Failures of backups and restoring. */
export const backupCodes = {
  /** It could not be written: a full disk, a folder that can't be written, a file that vanished. Nothing is left of it. */
  backup_failed: 500,
  /** The archive could not be restored: a full disk, a folder that can't be written. Nothing is left of it. */
  restore_failed: 500,
  backup_not_found: 404,
  /** The archive was cut or changed since it was written. */
  backup_damaged: 400,
  /** It is no archive of a platform, or one of a format that this program does not know. */
  backup_format_unknown: 400,
  /** The archive holds the content of the other kind of database. */
  backup_other_database: 409,
  /** Something is there already where the archive should go. */
  restore_not_empty: 409,
} as const;

export const failBackup = failures(backupCodes);
