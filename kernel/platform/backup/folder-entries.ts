import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Entry } from '../data/archive.js';
import { codeOf, reasonOf } from '../data/failures.js';
import { type FolderQuota, filesBelow } from '../files/files-below.js';

const piece_bytes = 256 * 1024;
/** Neither follows nor waits for a file that has become a link or a pipe since it was listed. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** A longer name could not be unpacked where the data folder has a longer name. */
const max_name_bytes = 2_000;
/** A file whose holes have more than this is not what it seems. */
const max_hole_bytes = 16 * 1024 * 1024;
const block_bytes = 512;

export interface FolderEntriesOptions {
  data_dir: string;
  /** One of the folders of the data folder. */
  folder: string;
  /** How much of an extension's folder is taken; all where undefined. */
  quotaOf: (extension: string) => FolderQuota | undefined;
  /** Told of each file, or folder, that is not taken as it is. */
  leftOut: (name: string, why: string) => void;
}

/**
 * The plain files below a folder of the data folder, named from there. They are others' files, and never make an archive fail: what is
 * gone, can't be read, is too much or has too long a name is left out, and a file that is written meanwhile is taken as long as it was.
 * Links are not followed, and not kept.
 */
export async function* folderEntries(options: FolderEntriesOptions): AsyncGenerator<Entry> {
  const { data_dir, leftOut } = options;
  for await (const path of paths(options)) {
    const name = relative(data_dir, path).split(sep).join('/');
    const handle = await open(path, flags).catch((fault: unknown) => missing(fault, () => leftOut(name, reasonOf(fault))));
    if (!handle) continue;
    try {
      const stats = await handle.stat();
      const why = refusalOf(name, stats);
      if (why !== undefined) leftOut(name, why);
      else if (stats.isFile())
        yield { name, bytes: stats.size, content: pieces(handle, { size: stats.size, cut: (found) => leftOut(name, found) }) };
    } finally {
      await handle.close();
    }
  }
}

/** About how many bytes {@link folderEntries} gives. */
export async function folderBytes(options: Omit<FolderEntriesOptions, 'leftOut'>): Promise<number> {
  let bytes = 0;
  for await (const path of paths({ ...options, leftOut: () => undefined })) bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
  return bytes;
}

/** The paths of the plain files; of each extension as many as its quota lets in. */
async function* paths({ data_dir, folder, quotaOf, leftOut }: FolderEntriesOptions): AsyncGenerator<string> {
  const parent = join(data_dir, folder);
  const entries = await readdir(parent, { withFileTypes: true }).catch(orNone);
  for (const entry of entries) {
    const path = join(parent, entry.name);
    if (entry.isFile()) yield path;
    if (!entry.isDirectory()) continue;
    const quota = folder === 'files' ? quotaOf(entry.name) : undefined;
    yield* filesBelow(path, { quota, skipped: (skipped, why) => leftOut(relative(data_dir, skipped), why) });
  }
}

function refusalOf(name: string, { size, blocks }: { size: number; blocks: number }): string | undefined {
  if (Buffer.byteLength(name) > max_name_bytes) return `its name has more than ${max_name_bytes} bytes`;
  // The size of a file that is mostly holes costs its writer nothing.
  return size - blocks * block_bytes > max_hole_bytes ? `it has ${size} bytes, most of them holes` : undefined;
}

/** Its size stands in the archive before it: what can't be read any more is zeros. */
async function* pieces(handle: FileHandle, { size, cut }: { size: number; cut: (why: string) => void }): AsyncGenerator<Uint8Array> {
  let isCut = false;
  for (let at = 0; at < size; ) {
    const piece = Buffer.alloc(Math.min(piece_bytes, size - at));
    const { bytesRead } = isCut ? { bytesRead: 0 } : await handle.read(piece, 0, piece.byteLength, at).catch(() => ({ bytesRead: 0 }));
    if (bytesRead === 0 && !isCut) {
      isCut = true;
      cut(`it became shorter while it was read: its last ${size - at} bytes are zeros`);
    }
    yield isCut ? piece : piece.subarray(0, bytesRead);
    at += isCut ? piece.byteLength : bytesRead;
  }
}

/** Reports a fault, unless the file is gone or is no file any more. */
function missing(fault: unknown, tell: () => void): undefined {
  if (!['ENOENT', 'ELOOP', 'ENXIO'].includes(codeOf(fault))) tell();
}

function orNone(fault: unknown): [] {
  if (codeOf(fault) === 'ENOENT') return [];
  throw fault;
}
