import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

// The limit of a socket's path is 107 bytes on Linux and 103 on macOS.
const max_path_bytes = 100;

/** Returns the Unix socket of the server on a data folder, for programs on the same machine. */
export function localSocket(data_dir: string): string {
  const folder = resolve(data_dir);
  const path = join(folder, 'platform.sock');
  if (Buffer.byteLength(path) <= max_path_bytes) return path;
  return join(tmpdir(), `platform-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}.sock`);
}

/** Returns the file of the key that the socket requires: `Authorization: Local <key>`. Mode 0600, new at each start. */
export function localKeyFile(data_dir: string): string {
  return join(resolve(data_dir), 'local.key');
}
