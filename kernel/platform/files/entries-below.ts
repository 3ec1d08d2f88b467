import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns all entries of a folder and its subfolders, unordered. Links are not followed; Node's recursive `readdir` follows them from
 * version 26 on. A subfolder that vanishes counts as empty; the first folder must exist.
 */
export async function entriesBelow(folder: string): Promise<Dirent[]> {
  const found = await readdir(folder, { withFileTypes: true });
  // The list grows during the loop.
  for (const entry of found) {
    if (!entry.isDirectory()) continue;
    const below = await readdir(join(entry.parentPath, entry.name), { withFileTypes: true }).catch(orGone);
    for (const one of below) found.push(one);
  }
  return found;
}

function orGone(fault: NodeJS.ErrnoException): Dirent[] {
  if (fault.code === 'ENOENT' || fault.code === 'ENOTDIR') return [];
  throw fault;
}
