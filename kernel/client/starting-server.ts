import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { lockHolder } from '../platform/data/lock-holder.js';

/** Returns the id of the server process that holds a data folder's lock; undefined if there is none, or if the system doesn't reveal it. */
export async function startingServer(data_dir: string): Promise<number | undefined> {
  const holder = await lockHolder(join(resolve(data_dir), 'platform.lock'));
  if (holder === undefined) return undefined;
  const line = await readFile(`/proc/${holder.pid}/cmdline`, 'utf8').catch(() => '');
  return line.split('\0').includes('serve') ? holder.pid : undefined;
}
