import { server as createServer, type Server } from '@hapi/hapi';
import type { ActiveDoor, ActiveOperation } from '../host/catalog.js';
import type { Incoming, Outgoing } from './incoming.js';
import { SilentListener } from './listener.js';
import type { RouteTable } from './route-table.js';

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

  readonly #routes: RouteTable | undefined;

  private constructor(content: CellContent, parts: { server: Server; listener: SilentListener; routes: RouteTable | undefined }) {
    this.extension = content.extension;
    this.version = content.version;
    this.operations = content.operations;
    this.doors = content.doors ?? [];
    this.#server = parts.server;
    this.#listener = parts.listener;
    this.#routes = parts.routes;
  }

  /** @param furnish adds the routes, or gives those that are added when they are asked for. */
  static async start(content: CellContent, furnish: (server: Server) => Furnished | Promise<Furnished>): Promise<HapiCell> {
    const listener = new SilentListener();
    const server = bareServer(listener);
    const routes = await furnish(server);
    await server.start();
    return new HapiCell(content, { server, listener, routes });
  }

  receive(event: 'request' | 'checkContinue', req: Incoming, res: Outgoing): void {
    this.#routes?.prepare(req.path);
    this.#listener.emit(event, req, res);
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}

type Furnished = RouteTable | undefined;

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
