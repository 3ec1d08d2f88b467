import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { failBackup, type ReadEntry } from '../archive.js';
import { syncFolder } from '../sync-folder.js';
import { sizeOf } from './inspect.js';

/**
 * Puts the file of an archive in its place once the whole archive was read. `work` gives the entries to `take`, and
 * throws where the archive turns out to be damaged. Fails with `restore_not_empty`.
 */
export async function restoreSqlite(file: string, work: (take: (entry: ReadEntry) => Promise<void>) => Promise<void>): Promise<void> {
  const found = (await sizeOf(file)) + (await sizeOf(`${file}-wal`));
  if (found > 0) throw failBackup('restore_not_empty', 'There is a database already where the archive should go; move it away');
  const draft = `${file}.restoring`;
  let taken = false;
  try {
    await work(async ({ name, content }) => {
      if (name !== 'database.sqlite') return;
      await pipeline(Readable.from(content), createWriteStream(draft, { flags: 'w', mode: 0o600, flush: true }));
      taken = true;
    });
    if (!taken) throw failBackup('backup_damaged', 'The archive has no database');
    await rename(draft, file);
    await syncFolder(dirname(file)).catch(async (fault: unknown) => {
      await rm(file, { force: true });
      throw fault;
    });
  } finally {
    await rm(draft, { force: true });
  }
}
