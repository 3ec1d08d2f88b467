import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cell, CellContent } from '../../core/catalog/cell.js';
import { HapiCell } from './cell.js';
import type { HandlerParts } from './handle.js';
import { addDoors, type DoorParts } from './protocols/routes.js';
import { addOperations, assertPaths } from './routes.js';
import { makeServer } from './server.js';
import { addSite } from './site.js';

export type CellParts = Omit<HandlerParts, 'uploads'> & DoorParts;

/** Creates the cells of extensions. */
export class CellMaker {
  readonly #parts: CellParts;
  readonly #uploads_folder: string | undefined;
  #uploads: Promise<string> | undefined;

  /** @param uploads_folder the folder of pending uploads. Default: in the system's temporary folder. */
  constructor(parts: CellParts, uploads_folder: string | undefined) {
    this.#parts = parts;
    this.#uploads_folder = uploads_folder;
  }

  async make(content: CellContent): Promise<Cell> {
    const { operations, doors = [], site } = content;
    assertPaths(content);
    const takesUploads = operations.some(({ operation }) => operation.kind === 'upload');
    const parts = { ...this.#parts, uploads: takesUploads ? await this.#uploadFolder() : tmpdir() };
    return new HapiCell(content, parts.responder, () =>
      makeServer(async (server) => {
        await addOperations(server, operations, parts);
        addDoors(server, doors, parts);
        if (site) await addSite(server, site, { responder: parts.responder, prefix: parts.cookies.prefix });
      }),
    );
  }

  async close(): Promise<void> {
    if (this.#uploads) await rm(await this.#uploads, { recursive: true, force: true });
  }

  #uploadFolder(): Promise<string> {
    this.#uploads ??=
      this.#uploads_folder === undefined ? mkdtemp(join(tmpdir(), 'platform-uploads-')) : uploadFolder(this.#uploads_folder);
    return this.#uploads;
  }
}

/**
 * Creates a folder for this process's pending uploads. Deletes the folders beside it, which killed processes left behind: call it
 * only if no other server uses the data folder.
 */
export async function uploadFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
  return mkdtemp(join(folder, 'process-'));
}
