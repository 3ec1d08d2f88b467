import sqlite3 from 'sqlite3';
import { openSqlite } from './connection.js';
import { keepPrivate } from './private-file.js';

/**
 * SQLite's lock on a file of its own: the system takes it back when the process ends, however it ends, and no child
 * inherits it. Nobody may read the file meanwhile: closing it would drop the lock. Gives what releases it; fails with
 * SQLite's own errors, `SQLITE_BUSY` where somebody else has it.
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
