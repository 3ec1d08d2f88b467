import type { FileAnswer } from '../../contract/operation.js';
import type { BackupRecord, BackupReport } from '../backup/backups.js';

export interface CleanupReport {
  /** What ran, in its order: how many rows went, and how long it took. */
  removed: { name: string; rows: number; ms: number }[];
  failed: { name: string; code: string; message: string }[];
}

/** What the kernel does for keeping an installation small and safe. */
export interface MaintenanceApi {
  'maintenance.cleanup': { input: object; answer: CleanupReport };
  'maintenance.backup': { input: { keep: number }; answer: BackupReport };
  'backups.list': { input: object; answer: BackupRecord[] };
  'backups.read': { input: { file: string; offset: number; bytes: number }; answer: FileAnswer };
  'backups.delete': { input: { file: string }; answer: undefined };
}
