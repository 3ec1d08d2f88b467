import sqlite3 from 'sqlite3';
import { openImmutable } from './inspect.js';

/**
 * Copies a database that nobody writes to, without what deleted rows have left: free pages, and copies in the gaps of pages, which
 * `secure_delete` misses. `target` is an empty file. Fails with the signal's reason.
 */
export async function compactInto(source: string, target: string, signal: AbortSignal): Promise<void> {
  const connection = await openImmutable(sqlite3, source);
  const interrupt = () => connection.native.interrupt();
  signal.addEventListener('abort', interrupt);
  try {
    signal.throwIfAborted();
    await connection.run('VACUUM INTO $1', [target]);
  } catch (fault) {
    signal.throwIfAborted();
    throw fault;
  } finally {
    signal.removeEventListener('abort', interrupt);
    await connection.close();
  }
}
