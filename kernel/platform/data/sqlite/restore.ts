import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { failBackup, type ReadEntry } from '../archive.js';
import { syncFolder } from '../sync-folder.js';
import { sizeOf } from './inspect.js';

/**
 * Restores the database file of an archive and moves it into place after the whole archive was read. `work` passes the entries to `take`
 * and throws if the archive is damaged. Fails with `restore_not_empty`.
 */
export async function restoreSqlite(file: string, work: (take: (entry: ReadEntry) => Promise<void>) => Promise<void>): Promise<void> {
  const found = (await sizeOf(file)) + (await sizeOf(`${file}-wal`));
  if (found > 0) throw failBackup('restore_not_empty', 'A database already exists at the target of the restore; move it away');
  const draft = `${file}.restoring`;
  let isRestored = false;
  try {
    await work(async ({ name, content }) => {
      if (name !== 'database.sqlite') return;
      await pipeline(Readable.from(content), createWriteStream(draft, { flags: 'w', mode: 0o600, flush: true }));
      isRestored = true;
    });
    if (!isRestored) throw failBackup('backup_damaged', 'The archive has no database');
    await rename(draft, file);
    await syncFolder(dirname(file)).catch(async (fault: unknown) => {
      await rm(file, { force: true });
      throw fault;
    });
  } finally {
    await rm(draft, { force: true });
  }
}
