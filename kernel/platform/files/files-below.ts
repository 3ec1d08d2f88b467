import type { Dir, Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** How much a folder may hold. */
export interface FolderQuota {
  /** Files, folders and whatever else. */
  files: number;
  /** The sum of the files' sizes, holes included. */
  bytes: number;
}

export interface FilesBelowOptions {
  /** Where the walk ends; undefined: at the last file. */
  quota?: FolderQuota | undefined;
  /** Told of a folder that can't be listed, and of the folder itself where it holds more than the quota. */
  skipped: (path: string, why: string) => void;
}

/**
 * The paths of the plain files in a folder and below it, in no order. Its owner may be hostile: a million entries are never in memory at
 * once, and what can't be listed is skipped. Links are not followed.
 */
export async function* filesBelow(folder: string, { quota, skipped }: FilesBelowOptions): AsyncGenerator<string> {
  const usage = { files: 0, bytes: 0 };
  const folders = [folder];
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    for await (const entry of entriesOf(path, skipped)) {
      const below = join(path, entry.name);
      if (quota) await count(usage, below, entry);
      if (quota && (usage.files > quota.files || usage.bytes > quota.bytes))
        return skipped(folder, `it holds more than ${quota.files} files or ${quota.bytes} bytes`);
      if (entry.isDirectory()) folders.push(below);
      else if (entry.isFile()) yield below;
    }
  }
}

/** Whether a folder holds more than its quota. Looks no further than it takes to know. */
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
    // Closes it at its end.
    yield* folder;
  } catch (fault) {
    const { code = '', message } = fault as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') skipped(path, message.slice(0, 200));
  }
}
