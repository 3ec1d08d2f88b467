import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { localKeyFile, localSocket } from './client/local-address.js';
import type { Disposable } from './contract/extension.js';

/** The local socket's path and its key, new at each start. Its disposal removes the key. */
export interface LocalKeyFile extends Disposable {
  path: string;
  key: string;
}

export async function openLocalKey(data_dir: string): Promise<LocalKeyFile> {
  const key_file = localKeyFile(data_dir);
  const key = randomBytes(32).toString('base64url');
  await rm(key_file, { force: true });
  await writeFile(key_file, `${key}\n`, { mode: 0o600, flag: 'wx' });
  return { path: localSocket(data_dir), key, dispose: () => rm(key_file, { force: true }) };
}
