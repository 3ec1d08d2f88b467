import type { Database } from 'sqlite3';
import type { SqliteConnection } from './connection.js';

/** SQLite's online backup, missing in the driver's types. */
interface OnlineBackup {
  /** Copies a number of pages; calls `done` with whether it is complete. */
  step(pages: number, done: (error: Error | null, completed: boolean) => void): void;
  finish(done: () => void): void;
  readonly failed: boolean;
  /** Remaining pages; known after a step. */
  readonly remaining: number;
  readonly pageCount: number;
}

interface Copying {
  backup(file: string, begun: (error: Error | null) => void): OnlineBackup;
}

/** One megabyte per step: the copy can be aborted in between, and other work gets the disk and a thread. */
const step_pages = 256;

export interface CopyOptions {
  signal: AbortSignal;
  /** Called with the progress, 0 to 1. */
  copied: (share: number) => void;
}

/** Copies the view of the connection's transaction into an empty file and syncs it to disk. */
export async function copyDatabase(connection: SqliteConnection, file: string, { signal, copied }: CopyOptions): Promise<void> {
  const copy = await begin(connection.native, file);
  try {
    while (!(await step(copy))) {
      signal.throwIfAborted();
      copied(1 - copy.remaining / copy.pageCount);
    }
  } finally {
    await new Promise<void>((resolve) => copy.finish(resolve));
  }
}

function begin(native: Database, file: string): Promise<OnlineBackup> {
  return new Promise((resolve, reject) => {
    const copy = (native as unknown as Copying).backup(file, (error) => (error ? reject(error) : resolve(copy)));
  });
}

function step(copy: OnlineBackup): Promise<boolean> {
  return new Promise((resolve, reject) => {
    copy.step(step_pages, (error, completed) => {
      if (error) reject(error);
      // The driver reports no error if the copy could not start.
      else if (copy.failed && !completed)
        reject(Object.assign(new Error('SQLITE_ERROR: the copy could not start'), { code: 'SQLITE_ERROR' }));
      else resolve(completed);
    });
  });
}
