import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * All that lies in a folder and in the folders below it, in no order. What is behind a link is not among it: Node's own recursive `readdir`
 * goes there from version 26 on. A folder that is gone when its turn comes has nothing in it; the first one has to be there.
 */
export async function entriesBelow(folder: string): Promise<Dirent[]> {
  const found = await readdir(folder, { withFileTypes: true });
  // It grows meanwhile.
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
