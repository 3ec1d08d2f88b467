import { randomUUID } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Below it every name can still be spelled out: the system takes 4,096 bytes. */
const max_path_bytes = 2_000;
const max_rounds = 10_000;

/**
 * Removes a folder and all in it, however deep: a folder whose path is longer than the system takes can't be named, so what lies deep is
 * moved up first.
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
    // An earlier removal may still be under way.
    for (const entry of await readdir(path, { withFileTypes: true }).catch(orGone)) {
      if (!entry.isDirectory()) continue;
      const below = join(path, entry.name);
      if (Buffer.byteLength(below) > max_path_bytes) await rename(below, join(folder, randomUUID())).catch(orGone);
      else open.push(below);
    }
  }
}

function orGone(fault: NodeJS.ErrnoException): [] {
  if (fault.code === 'ENOENT') return [];
  throw fault;
}
