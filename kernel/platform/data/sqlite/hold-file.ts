import sqlite3 from 'sqlite3';
import { openSqlite } from './connection.js';
import { keepPrivate } from './private-file.js';

/**
 * Locks a separate file through SQLite: the system releases the lock when the process ends in any way, and no child inherits it. This
 * process must not open the file otherwise, because closing it would drop the lock. Returns a function that releases it. Fails with
 * SQLite's own errors, `SQLITE_BUSY` if another process has the lock.
 */
export async function holdFile(file: string): Promise<() => Promise<void>> {
  await keepPrivate(file);
  const lock = await openSqlite(sqlite3, file, sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE);
  try {
    await lock.run('BEGIN EXCLUSIVE', []);
  } catch (fault) {
    await lock.close();
    throw fault;
  }
  return () => lock.close();
}
