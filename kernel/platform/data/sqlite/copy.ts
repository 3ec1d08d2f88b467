import type { Database } from 'sqlite3';
import type { SqliteConnection } from './connection.js';

/** SQLite's online backup, which the driver's types leave out. */
interface OnlineBackup {
  /** Copies so many pages; `done` is told whether it was the last of them. */
  step(pages: number, done: (error: Error | null, completed: boolean) => void): void;
  finish(done: () => void): void;
  readonly failed: boolean;
  /** Pages; known after a step. */
  readonly remaining: number;
  readonly pageCount: number;
}

interface Copying {
  backup(file: string, begun: (error: Error | null) => void): OnlineBackup;
}

/** A megabyte at a time: the copy can be ended in between, and others get the disk and a thread. */
const step_pages = 256;

export interface CopyOptions {
  signal: AbortSignal;
  /** Told which part of it is done, 0 to 1. */
  copied: (share: number) => void;
}

/** Copies what the connection's transaction sees into an empty file, forced to the disk. */
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
      // The driver gives no error where the copy could not be begun at all.
      else if (copy.failed && !completed)
        reject(Object.assign(new Error('SQLITE_ERROR: the copy could not be begun'), { code: 'SQLITE_ERROR' }));
      else resolve(completed);
    });
  });
}
