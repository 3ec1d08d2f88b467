import { server as createServer, type Server } from '@hapi/hapi';
import type { Failure } from '../../contract/failure.js';
import { SilentListener } from './listener.js';

/** State that the routes of a cell share, in hapi's `settings.app`. */
export interface ShellState {
  /** Writes a failure in the form of the protocol that is spoken at this path; undefined where none is. */
  refuse?: (failure: Failure, path: string) => Response | undefined;
}

/** A hapi server that has started and never listens, before it is anybody's cell. */
export interface Shell {
  readonly server: Server;
  /** Gives the server its requests. */
  readonly listener: SilentListener;
}

/** @param furnish adds what the cell has before it gets its operations. */
export async function makeShell(furnish: (server: Server) => void | Promise<void>): Promise<Shell> {
  const listener = new SilentListener();
  const server = bareServer(listener);
  await furnish(server);
  await server.start();
  return { server, listener };
}

function bareServer(listener: SilentListener): Server {
  return createServer({
    autoListen: false,
    app: {} satisfies ShellState,
    // With it, stop() waits for sockets that a cell never sees.
    operations: { cleanStop: false },
    listener: listener as never,
    // The kernel logs what goes wrong, with the request's id.
    debug: false,
    // Compressed event streams arrive late or never, and hapi can't switch it off by route.
    compression: false,
    routes: {
      // The front's headers say it, for every answer.
      cache: false,
      response: { ranges: false, emptyStatusCode: 200 },
      state: { parse: false, failAction: 'ignore' },
    },
  });
}
