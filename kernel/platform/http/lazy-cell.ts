import type { ActiveOperation } from '../../core/catalog/catalog.js';
import type { Cell, CellContent } from '../../core/catalog/cell.js';
import { asFailure } from './errors.js';
import type { Incoming, Outgoing } from './incoming.js';
import type { Responder } from './responder.js';

/** A cell that is made when it gets its first request. */
export class LazyCell implements Cell {
  readonly extension: string;
  readonly version: string;
  readonly operations: readonly ActiveOperation[];
  readonly doors: Cell['doors'];
  readonly #responder: Responder;
  readonly #make: () => Promise<Cell>;
  #cell: Promise<Cell> | undefined;
  /** Once it is there: no request waits a turn for it. */
  #ready: Cell | undefined;

  constructor(content: CellContent, responder: Responder, make: () => Promise<Cell>) {
    this.extension = content.extension;
    this.version = content.version;
    this.operations = content.operations;
    this.doors = content.doors ?? [];
    this.#responder = responder;
    this.#make = make;
  }

  receive(event: 'request' | 'checkContinue', req: Incoming, res: Outgoing): void {
    if (this.#ready) {
      this.#ready.receive(event, req, res);
      return;
    }
    this.#cell ??= this.#make();
    this.#cell.then(
      (cell) => {
        this.#ready = cell;
        cell.receive(event, req, res);
      },
      (fault: unknown) => {
        this.#cell = undefined;
        this.#responder.failure(res, asFailure(fault));
      },
    );
  }

  async stop(): Promise<void> {
    await (await this.#cell)?.stop();
  }
}
