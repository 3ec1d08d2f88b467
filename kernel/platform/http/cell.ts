import type { Server } from '@hapi/hapi';
import type { ActiveDoor, ActiveOperation } from '../../core/catalog/catalog.js';
import type { Cell, CellContent, SocketFrames } from '../../core/catalog/cell.js';
import { asFailure } from './errors.js';
import type { Incoming, Outgoing } from './incoming.js';
import type { Responder } from './responder.js';

/**
 * A hapi server that never listens, with the routes of one version of an extension. It is created at the first request: hapi takes longer
 * to create a route than to run it, so neither the start nor a replacement waits for routes (benchmarks `start-up` and `hot-swap`).
 */
export class HapiCell implements Cell {
  readonly extension: string;
  readonly version: string;
  readonly operations: readonly ActiveOperation[];
  readonly doors: readonly ActiveDoor[];
  readonly socket: SocketFrames | undefined;
  readonly #responder: Responder;
  readonly #make: () => Promise<Server>;
  #server: Promise<Server> | undefined;
  /** Set once the server is created, so that requests don't wait a turn for it. */
  #ready: Server | undefined;

  constructor(content: CellContent, responder: Responder, make: () => Promise<Server>) {
    this.extension = content.extension;
    this.version = content.version;
    this.operations = content.operations;
    this.doors = content.doors ?? [];
    this.socket = content.socket;
    this.#responder = responder;
    this.#make = make;
  }

  async server(): Promise<Server> {
    this.#server ??= this.#make();
    try {
      this.#ready = await this.#server;
      return this.#ready;
    } catch (fault) {
      // The next request retries.
      this.#server = undefined;
      throw fault;
    }
  }

  receive(event: 'request' | 'checkContinue', req: Incoming, res: Outgoing): void {
    if (this.#ready) {
      this.#ready.listener.emit(event, req, res);
      return;
    }
    this.server().then(
      (server) => server.listener.emit(event, req, res),
      (fault: unknown) => this.#responder.failure(res, asFailure(fault)),
    );
  }

  async stop(): Promise<void> {
    await (await this.#server)?.stop();
  }
}
