import type { ActiveDoor, ActiveOperation } from '../../core/catalog/catalog.js';
import type { Cell, CellContent } from '../../core/catalog/cell.js';
import type { Incoming, Outgoing } from './incoming.js';
import type { RouteTable } from './route-table.js';
import type { Shell } from './shell.js';

/** A hapi server that never listens, with the routes of one version of an extension. */
export class HapiCell implements Cell {
  readonly extension: string;
  readonly version: string;
  readonly operations: readonly ActiveOperation[];
  readonly doors: readonly ActiveDoor[];
  readonly #shell: Shell;
  readonly #routes: RouteTable | undefined;

  /** @param routes are added when they are asked for. */
  constructor(content: CellContent, shell: Shell, routes?: RouteTable) {
    this.extension = content.extension;
    this.version = content.version;
    this.operations = content.operations;
    this.doors = content.doors ?? [];
    this.#shell = shell;
    this.#routes = routes;
  }

  receive(event: 'request' | 'checkContinue', req: Incoming, res: Outgoing): void {
    this.#routes?.prepare(req.path, this.#shell.server);
    this.#shell.listener.emit(event, req, res);
  }

  stop(): Promise<void> {
    return this.#shell.server.stop();
  }
}
