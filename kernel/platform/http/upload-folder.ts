import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A new folder, in which this process keeps uploads until their handlers have had them. What lies beside it was left by processes that
 * were killed, and goes: call it where no other server has the data folder.
 */
export async function uploadFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
  return mkdtemp(join(folder, 'process-'));
}
