import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { entriesBelow } from '../../entries-below.js';
import { codeOf } from '../failures.js';
import type { Entry } from './archive-writer.js';
import { failBackup } from './codes.js';

const piece_bytes = 256 * 1024;
/** What has become a link or a pipe since it was listed is neither followed nor waited for. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The plain files below a folder of the data folder, named from there. One that is gone when its turn comes is left
 * out; one that is written meanwhile is taken as long as it was. Links are not followed, and not kept.
 */
export async function* folderEntries(data_dir: string, folder: string): AsyncGenerator<Entry> {
  for (const entry of await list(join(data_dir, folder))) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const handle = await open(path, flags).catch(orGone);
    if (!handle) continue;
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) continue;
      const { size } = stats;
      const name = relative(data_dir, path).split(sep).join('/');
      yield { name, bytes: size, content: pieces(handle, { name, size }) };
    } finally {
      await handle.close();
    }
  }
}

/** About how many bytes {@link folderEntries} gives. */
export async function folderBytes(data_dir: string, folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await list(join(data_dir, folder))) {
    if (entry.isFile()) bytes += (await lstat(join(entry.parentPath, entry.name)).catch(orGone))?.size ?? 0;
  }
  return bytes;
}

async function list(path: string): Promise<Dirent[]> {
  return (await entriesBelow(path).catch(orGone)) ?? [];
}

async function* pieces(handle: FileHandle, { name, size }: { name: string; size: number }): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const piece = Buffer.alloc(Math.min(piece_bytes, size - at));
    const { bytesRead } = await handle.read(piece, 0, piece.byteLength, at);
    if (bytesRead === 0) throw failBackup('backup_failed', `The file '${name}' became shorter while it was read; try again`);
    yield piece.subarray(0, bytesRead);
    at += bytesRead;
  }
}

function orGone(error: unknown): undefined {
  if (!['ENOENT', 'ELOOP', 'ENXIO'].includes(codeOf(error))) throw error;
}
