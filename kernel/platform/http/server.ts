import { EventEmitter } from 'node:events';
import { server as createServer, type Server } from '@hapi/hapi';
import type { Failure } from '../../contract/failure.js';

/** State that the routes of a server share, in hapi's `settings.app`. */
export interface ServerState {
  /** Formats a failure for the protocol of a path; undefined if it has none. */
  refuse?: (failure: Failure, path: string) => Response | undefined;
}

/**
 * Creates a started hapi server that never listens: the only real listener is the front, which emits its requests on this
 * server's `listener`.
 *
 * @param furnish adds routes.
 */
export async function makeServer(furnish: (server: Server) => void | Promise<void>): Promise<Server> {
  const server = createServer({
    autoListen: false,
    app: {} satisfies ServerState,
    // A clean stop would wait for sockets that a cell never sees.
    operations: { cleanStop: false },
    listener: new SilentListener() as never,
    // The kernel logs errors with the request id.
    debug: false,
    // Compression delays event streams, and hapi can't disable it by route.
    compression: false,
    routes: {
      cache: { otherwise: 'no-store' },
      response: { ranges: false, emptyStatusCode: 200 },
      state: { parse: false, failAction: 'ignore' },
    },
  });
  await furnish(server);
  await server.start();
  return server;
}

/** A dummy listener: hapi needs one to start, and only a started server keeps connections alive. */
class SilentListener extends EventEmitter {
  address(): { address: string; port: number; family: string } {
    return { address: '127.0.0.1', port: 0, family: 'IPv4' };
  }

  listen(): this {
    return this;
  }

  close(closed?: () => void): this {
    closed?.();
    return this;
  }
}
