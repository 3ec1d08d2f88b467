import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Entry } from '../data/archive.js';
import { codeOf, reasonOf } from '../data/failures.js';
import { type FolderQuota, filesBelow } from '../files/files-below.js';

const piece_bytes = 256 * 1024;
/** Opens neither links nor blocks on pipes: a file may have become one since it was listed. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** A longer name could not be unpacked where the data folder has a longer name. */
const max_name_bytes = 2_000;
/** Limit of the holes in a sparse file. */
const max_hole_bytes = 16 * 1024 * 1024;
const block_bytes = 512;

export interface FolderEntriesOptions {
  data_dir: string;
  /** One of the folders of the data folder. */
  folder: string;
  /** Returns how much of an extension's folder is included; undefined means all. */
  quotaOf: (extension: string) => FolderQuota | undefined;
  /** Reports each file or folder that is left out or incomplete. */
  leftOut: (name: string, why: string) => void;
}

/**
 * The plain files below a folder of the data folder, named from there. They belong to extensions and never make an archive fail: files that
 * are gone, unreadable, above the quota or have too long a name are left out, and a file that is written meanwhile keeps its earlier size.
 * Links are neither followed nor included.
 */
export async function* folderEntries(options: FolderEntriesOptions): AsyncGenerator<Entry> {
  const { data_dir, leftOut } = options;
  for await (const path of paths(options)) {
    const name = relative(data_dir, path).split(sep).join('/');
    const handle = await open(path, flags).catch((fault: unknown) => reportUnlessGone(fault, () => leftOut(name, reasonOf(fault))));
    if (!handle) continue;
    try {
      const stats = await handle.stat();
      const why = refusalOf(name, stats);
      if (why !== undefined) leftOut(name, why);
      else if (stats.isFile())
        yield { name, bytes: stats.size, content: pieces(handle, { size: stats.size, truncated: (why) => leftOut(name, why) }) };
    } finally {
      await handle.close();
    }
  }
}

/** Estimates the bytes of {@link folderEntries}. */
export async function folderBytes(options: Omit<FolderEntriesOptions, 'leftOut'>): Promise<number> {
  let bytes = 0;
  for await (const path of paths({ ...options, leftOut: () => undefined })) bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
  return bytes;
}

/** The paths of the plain files; of each extension as many as its quota allows. */
async function* paths({ data_dir, folder, quotaOf, leftOut }: FolderEntriesOptions): AsyncGenerator<string> {
  const parent = join(data_dir, folder);
  const entries = await readdir(parent, { withFileTypes: true }).catch(emptyIfMissing);
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

/** Reads a file in pieces. Pads it with zeros if it was truncated, because the archive has its size already. */
async function* pieces(
  handle: FileHandle,
  { size, truncated }: { size: number; truncated: (why: string) => void },
): AsyncGenerator<Uint8Array> {
  let isTruncated = false;
  for (let at = 0; at < size; ) {
    const piece = Buffer.alloc(Math.min(piece_bytes, size - at));
    const { bytesRead } = isTruncated
      ? { bytesRead: 0 }
      : await handle.read(piece, 0, piece.byteLength, at).catch(() => ({ bytesRead: 0 }));
    if (bytesRead === 0 && !isTruncated) {
      isTruncated = true;
      truncated(`it became shorter while it was read: its last ${size - at} bytes are zeros`);
    }
    yield isTruncated ? piece : piece.subarray(0, bytesRead);
    at += isTruncated ? piece.byteLength : bytesRead;
  }
}

/** Reports a fault, unless the file is gone or is no longer a file. */
function reportUnlessGone(fault: unknown, report: () => void): undefined {
  if (!['ENOENT', 'ELOOP', 'ENXIO'].includes(codeOf(fault))) report();
}

function emptyIfMissing(fault: unknown): [] {
  if (codeOf(fault) === 'ENOENT') return [];
  throw fault;
}
