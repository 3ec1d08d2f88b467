import type { Database } from 'sqlite3';
import type { SqliteConnection } from './connection.js';

/** A running copy by SQLite's online backup; missing in the driver's types. */
interface OnlineBackup {
  /** Copies at most `pages` pages; passes whether the copy is complete. */
  step(pages: number, done: (error: Error | null, completed: boolean) => void): void;
  /** Closes the copy, complete or not. */
  finish(done: () => void): void;
  /** Whether SQLite has given the copy up. */
  readonly failed: boolean;
  /** Remaining pages; known after a step. */
  readonly remaining: number;
  readonly pageCount: number;
}

/** A connection that can copy its database; missing in the driver's types. */
interface BackupSource {
  backup(file: string, opened: (error: Error | null) => void): OnlineBackup;
}

/** One megabyte per step with pages of 4 KiB. Between steps the copy can be aborted, and other work gets the disk and a thread. */
const step_pages = 256;

export interface CopyOptions {
  signal: AbortSignal;
  /** Receives the copied share after each step but the last, 0 to 1. */
  onProgress: (share: number) => void;
}

/**
 * Copies the database into `file`, an existing empty file, and syncs it to disk. The copy has the state that the connection's open read
 * transaction sees; without one it would restart after each write. Fails with the signal's reason between two steps.
 */
export async function copyDatabase(connection: SqliteConnection, file: string, { signal, onProgress }: CopyOptions): Promise<void> {
  const copy = await openBackup(connection.native, file);
  try {
    while (!(await step(copy))) {
      signal.throwIfAborted();
      onProgress(1 - copy.remaining / copy.pageCount);
    }
  } finally {
    await new Promise<void>((resolve) => copy.finish(resolve));
  }
}

function openBackup(native: Database, file: string): Promise<OnlineBackup> {
  return new Promise((resolve, reject) => {
    const copy = (native as unknown as BackupSource).backup(file, (error) => (error ? reject(error) : resolve(copy)));
  });
}

/** Copies the next pages; returns whether the copy is complete. */
function step(copy: OnlineBackup): Promise<boolean> {
  return new Promise((resolve, reject) => {
    copy.step(step_pages, (error, completed) => {
      if (error) reject(error);
      // The driver passes no error if SQLite could not start the copy; only `failed` shows it.
      else if (copy.failed && !completed)
        reject(Object.assign(new Error('SQLITE_ERROR: the copy could not start'), { code: 'SQLITE_ERROR' }));
      else resolve(completed);
    });
  });
}
