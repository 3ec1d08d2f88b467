import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { localKeyFile, localSocket } from '../client/local-address.js';
import type { Disposable } from '../contract/extension.js';
import { failures } from '../contract/failure.js';

const fail = failures({ data_dir_locked: 503 });

/** Path and key of the local socket; the key is new at each start. Disposal deletes the key file. */
export interface LocalKeyFile extends Disposable {
  path: string;
  key: string;
}

/** Creates the key file. Fails with `data_dir_locked` if a server already listens there: with a shared database the folder has no lock. */
export async function openLocalKey(data_dir: string): Promise<LocalKeyFile> {
  const key_file = localKeyFile(data_dir);
  const path = localSocket(data_dir);
  if (await isListening(path)) throw fail('data_dir_locked', `The data folder ${data_dir} is in use by another server`);
  const key = randomBytes(32).toString('base64url');
  await rm(key_file, { force: true });
  await writeFile(key_file, `${key}\n`, { mode: 0o600, flag: 'wx' });
  return { path, key, dispose: () => rm(key_file, { force: true }) };
}

/** Returns whether a server listens; a killed server leaves its socket file behind. */
function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (found: boolean) => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(1_000, () => end(true));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
