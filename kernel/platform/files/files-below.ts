import type { Dir, Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** Limits of a folder's content. */
export interface FolderQuota {
  /** Number of entries of any kind. */
  files: number;
  /** Sum of the files' sizes, including holes. */
  bytes: number;
}

export interface FilesBelowOptions {
  /** Limits at which the walk ends; undefined for none. */
  quota?: FolderQuota | undefined;
  /** Called for a folder that can't be listed, and for the folder itself if it exceeds the quota. */
  skipped: (path: string, why: string) => void;
}

/**
 * Returns the paths of the plain files in a folder and its subfolders, unordered. Its owner may be hostile: entries are streamed, so that
 * a million of them don't fill the memory, and unreadable folders are skipped. Links are not followed.
 */
export async function* filesBelow(folder: string, { quota, skipped }: FilesBelowOptions): AsyncGenerator<string> {
  const usage = { files: 0, bytes: 0 };
  const folders = [folder];
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    for await (const entry of entriesOf(path, skipped)) {
      const below = join(path, entry.name);
      if (quota) await count(usage, below, entry);
      if (quota && (usage.files > quota.files || usage.bytes > quota.bytes))
        return skipped(folder, `it has more than ${quota.files} files or ${quota.bytes} bytes`);
      if (entry.isDirectory()) folders.push(below);
      else if (entry.isFile()) yield below;
    }
  }
}

/** Returns whether a folder exceeds its quota. Stops at the limit. */
export async function isOverQuota(folder: string, quota: FolderQuota): Promise<boolean> {
  let isOver = false;
  for await (const _path of filesBelow(folder, { quota, skipped: (path) => (isOver ||= path === folder) }));
  return isOver;
}

async function count(usage: { files: number; bytes: number }, path: string, entry: Dirent): Promise<void> {
  usage.files += 1;
  if (entry.isFile()) usage.bytes += (await lstat(path).catch(() => undefined))?.size ?? 0;
}

async function* entriesOf(path: string, skipped: FilesBelowOptions['skipped']): AsyncGenerator<Dirent> {
  let folder: Dir | undefined;
  try {
    folder = await opendir(path);
    // The iteration closes the folder at its end.
    yield* folder;
  } catch (fault) {
    const { code = '', message } = fault as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') skipped(path, message.slice(0, 200));
  }
}
