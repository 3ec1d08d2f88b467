import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cell, CellContent } from '../../core/catalog/cell.js';
import { HapiCell } from './cell.js';
import type { HandlerParts } from './handle.js';
import { LazyCell } from './lazy-cell.js';
import { addDoors, type DoorParts } from './protocols/routes.js';
import { addGround, routesOf } from './routes.js';
import { makeShell, type Shell } from './shell.js';
import { Spare } from './spare.js';
import { uploadFolder } from './upload-folder.js';

export type CellParts = Omit<HandlerParts, 'uploads'> & DoorParts;

/** Makes the cells of extensions. */
export class CellMaker {
  readonly #parts: CellParts;
  readonly #place: string | undefined;
  /** A replacement would wait for hapi: a server takes it 2 ms. */
  readonly #shells: Spare<Shell>;
  #uploads: Promise<string> | undefined;
  #isServing = false;

  /** @param place the folder in which uploads wait; left out: among the system's temporary files. */
  constructor(parts: CellParts, place: string | undefined) {
    this.#parts = parts;
    this.#place = place;
    this.#shells = new Spare(() => makeShell((server) => addGround(server, parts)));
  }

  async make(content: CellContent): Promise<Cell> {
    const takesUploads = content.operations.some(({ operation }) => operation.kind === 'upload');
    const uploads = takesUploads ? await this.#uploadFolder() : tmpdir();
    const routes = routesOf(content.operations, { ...this.#parts, uploads });
    const start = async () => new HapiCell(content, await this.#shell(content), routes);
    // What hapi refuses of a door is told when the extension starts.
    const isAwaited = this.#isServing || content.doors?.length;
    return isAwaited ? start() : new LazyCell(content, this.#parts.responder, start);
  }

  /** From now on cells replace others that serve. Those from before get their server with their first request: no start waits for it. */
  serve(): void {
    this.#isServing = true;
    this.#shells.refill();
  }

  async close(): Promise<void> {
    const shell = await this.#shells.close();
    await shell?.server.stop();
    if (this.#uploads) await rm(await this.#uploads, { recursive: true, force: true });
  }

  async #shell({ doors = [] }: CellContent): Promise<Shell> {
    const shell = await this.#shells.take();
    if (this.#isServing) this.#shells.refill();
    addDoors(shell.server, doors, this.#parts);
    return shell;
  }

  #uploadFolder(): Promise<string> {
    this.#uploads ??= this.#place === undefined ? mkdtemp(join(tmpdir(), 'platform-uploads-')) : uploadFolder(this.#place);
    return this.#uploads;
  }
}
