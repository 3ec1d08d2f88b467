import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cell, type CellContent, HapiCell } from './cell.js';
import type { HandlerParts } from './handle.js';
import { addDoors, type DoorParts } from './protocols/routes.js';
import { addGround, routesOf } from './routes.js';
import { makeShell, type Shell } from './shell.js';
import { Spare } from './spare.js';
import { type UploadPlace, uploadFolder } from './upload-folder.js';

export type CellParts = Omit<HandlerParts, 'uploads'> & DoorParts;

/** Makes the cells of extensions. */
export class CellMaker {
  readonly #parts: CellParts;
  readonly #place: UploadPlace | undefined;
  /** hapi takes longer to make a server than all the rest of a replacement on the way of HTTP. */
  readonly #shells: Spare<Shell>;
  #uploads: Promise<string> | undefined;

  /** @param place where uploads wait; left out: among the system's temporary files. */
  constructor(parts: CellParts, place: UploadPlace | undefined) {
    this.#parts = parts;
    this.#place = place;
    this.#shells = new Spare(() => makeShell((server) => addGround(server, parts)));
  }

  async make(content: CellContent): Promise<Cell> {
    const takesUploads = content.operations.some(({ operation }) => operation.kind === 'upload');
    const uploads = takesUploads ? await this.#uploadFolder() : tmpdir();
    const shell = await this.#shells.take();
    addDoors(shell.server, content.doors ?? [], this.#parts);
    return new HapiCell(content, shell, routesOf(shell.server, content.operations, { ...this.#parts, uploads }));
  }

  /** Prepares for the next cell. */
  prepare(): void {
    this.#shells.refill();
  }

  async close(): Promise<void> {
    const shell = await this.#shells.close();
    await shell?.server.stop();
    if (this.#uploads) await rm(await this.#uploads, { recursive: true, force: true });
  }

  #uploadFolder(): Promise<string> {
    this.#uploads ??= this.#place === undefined ? mkdtemp(join(tmpdir(), 'platform-uploads-')) : uploadFolder(this.#place);
    return this.#uploads;
  }
}
