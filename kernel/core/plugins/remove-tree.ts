import { randomUUID } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Path length above which folders are moved up, well below the system's limit of 4,096 bytes. */
const max_path_bytes = 2_000;
const max_rounds = 10_000;

/**
 * Removes a folder and its content at any depth. Deep folders are moved up first, because a path longer than the system's limit can't be
 * opened.
 */
export async function removeTree(folder: string): Promise<void> {
  for (let round = 0; ; round += 1) {
    try {
      return await rm(folder, { recursive: true, force: true });
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'ENAMETOOLONG' || round === max_rounds) throw fault;
      await flatten(folder);
    }
  }
}

async function flatten(folder: string): Promise<void> {
  const open = [folder];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    // An earlier removal may still be running.
    for (const entry of await readdir(path, { withFileTypes: true }).catch(ignoreMissing)) {
      if (!entry.isDirectory()) continue;
      const below = join(path, entry.name);
      if (Buffer.byteLength(below) > max_path_bytes) await rename(below, join(folder, randomUUID())).catch(ignoreMissing);
      else open.push(below);
    }
  }
}

function ignoreMissing(fault: NodeJS.ErrnoException): [] {
  if (fault.code === 'ENOENT') return [];
  throw fault;
}
