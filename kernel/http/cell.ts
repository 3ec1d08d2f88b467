import { server as createServer, type Server } from '@hapi/hapi';
import type { ActiveDoor, ActiveOperation } from '../host/catalog.js';
import type { Incoming, Outgoing } from './incoming.js';
import { SilentListener } from './listener.js';

/** What serves the requests of one version of an extension. */
export interface Cell {
  readonly extension: string;
  readonly version: string;
  readonly operations: readonly ActiveOperation[];
  readonly doors: readonly ActiveDoor[];
  /** Answers a request that the front gives it. */
  receive(event: 'request' | 'checkContinue', req: Incoming, res: Outgoing): void;
  /** Call it when the last request has ended. */
  stop(): Promise<void>;
}

/** A hapi server that never listens, with what is common to all cells. */
export class HapiCell implements Cell {
  readonly extension: string;
  readonly version: string;
  readonly operations: readonly ActiveOperation[];
  readonly doors: readonly ActiveDoor[];
  readonly #server: Server;
  readonly #listener: SilentListener;

  private constructor(content: CellContent, parts: { server: Server; listener: SilentListener }) {
    this.extension = content.extension;
    this.version = content.version;
    this.operations = content.operations;
    this.doors = content.doors ?? [];
    this.#server = parts.server;
    this.#listener = parts.listener;
  }

  /** @param furnish adds the routes. */
  static async start(content: CellContent, furnish: (server: Server) => void | Promise<void>): Promise<HapiCell> {
    const listener = new SilentListener();
    const server = bareServer(listener);
    await furnish(server);
    await server.start();
    return new HapiCell(content, { server, listener });
  }

  receive(event: 'request' | 'checkContinue', req: Incoming, res: Outgoing): void {
    this.#listener.emit(event, req, res);
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}

export interface CellContent {
  extension: string;
  version: string;
  operations: readonly ActiveOperation[];
  doors?: readonly ActiveDoor[];
}

function bareServer(listener: SilentListener): Server {
  return createServer({
    autoListen: false,
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
