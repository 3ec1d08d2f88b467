import { failures } from '../../contract/failure.js';
import { backupCodes } from '../data/archive.js';

/** Failures of the maintenance operations. */
const maintenanceCodes = {
  backup_failed: backupCodes.backup_failed,
  backup_not_found: backupCodes.backup_not_found,
  /** A cleaner took too long. Only in reports. */
  cleanup_timeout: 503,
  /** The same work is already running, here or on another instance. */
  maintenance_running: 409,
} as const;

export const failMaintenance = failures(maintenanceCodes);
