import { EventEmitter } from 'node:events';
import { server as createServer, type Server } from '@hapi/hapi';
import type { Failure } from '../../contract/failure.js';

/** State that the routes of a server share, in hapi's `settings.app`. */
export interface ServerState {
  /** Writes a failure in the form of the protocol that is spoken at this path; undefined where none is. */
  refuse?: (failure: Failure, path: string) => Response | undefined;
}

/**
 * Makes a hapi server that has started and never listens: the one real listener is the front's, which emits its requests on this
 * server's `listener`.
 *
 * @param furnish adds routes.
 */
export async function makeServer(furnish: (server: Server) => void | Promise<void>): Promise<Server> {
  const server = createServer({
    autoListen: false,
    app: {} satisfies ServerState,
    // With it, stop() waits for sockets that a cell never sees.
    operations: { cleanStop: false },
    listener: new SilentListener() as never,
    // The kernel logs what goes wrong, with the request's id.
    debug: false,
    // Compressed event streams arrive late or never, and hapi can't switch it off by route.
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

/** Stands in for a listener: a hapi server wants one to start, and only a started server keeps connections alive. */
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
