import { readFileSync } from 'node:fs';
import { failClient } from './exchange.js';
import { http } from './http.js';
import { localKeyFile, localSocket } from './local-address.js';
import type { Transport } from './transport.js';

export interface LocalOptions {
  data_dir: string;
  /** What it says it is. */
  agent?: string | undefined;
}

/** How the server that runs on a data folder of this machine is reached, as its own administrator. */
export interface LocalServer {
  url: string;
  /** The Unix socket. */
  socket: string;
  /** Its key is a new one at each start. @throws `unreachable` where none runs, or its key can't be read. */
  authorization: () => string;
  name: string;
}

export function localServer(data_dir: string): LocalServer {
  const name = `The server on ${data_dir}`;
  return { url: 'http://localhost', socket: localSocket(data_dir), authorization: () => `Local ${readKey(data_dir, name)}`, name };
}

/**
 * The way to that server; to the next one too, where it is started again.
 *
 * @throws `unreachable` where none runs, or its key can't be read.
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
      `${name} can't be reached: ${missing ? 'it is not running' : 'its key can be read by another user only'}`,
      {
        cause,
      },
    );
  }
}
