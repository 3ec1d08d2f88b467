import { readFileSync } from 'node:fs';
import { failClient } from './client-failure.js';
import { http } from './http.js';
import { localKeyFile, localSocket } from './local-address.js';
import type { Transport } from './transport.js';

export interface LocalOptions {
  data_dir: string;
  /** The `User-Agent` header. */
  agent?: string | undefined;
}

/** Connection data of the server on a local data folder, as its administrator. */
export interface LocalServer {
  url: string;
  /** The Unix socket. */
  socket: string;
  /** Reads the current key, which is new at each start. @throws `unreachable` if no server is running, or its key can't be read. */
  authorization: () => string;
  name: string;
}

export function localServer(data_dir: string): LocalServer {
  const name = `The server on ${data_dir}`;
  return { url: 'http://localhost', socket: localSocket(data_dir), authorization: () => `Local ${readKey(data_dir, name)}`, name };
}

/**
 * Creates a transport to that server; it survives a restart of the server.
 *
 * @throws `unreachable` if no server is running, or its key can't be read.
 */
export function local({ data_dir, agent }: LocalOptions): Transport {
  const server = localServer(data_dir);
  server.authorization();
  return http({ ...server, agent });
}

function readKey(data_dir: string, name: string): string {
  try {
    return readFileSync(localKeyFile(data_dir), 'utf8').trim();
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw failClient(
      'unreachable',
      `${name} can't be reached: ${missing ? 'it is not running' : 'its key is readable only by another user'}`,
      {
        cause,
      },
    );
  }
}
