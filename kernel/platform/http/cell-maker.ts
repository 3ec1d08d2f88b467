import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cell, CellContent } from '../../core/catalog/cell.js';
import { HapiCell } from './cell.js';
import type { HandlerParts } from './handle.js';
import { addDoors, type DoorParts } from './protocols/routes.js';
import { addOperations, assertPaths } from './routes.js';
import { makeServer } from './server.js';

export type CellParts = Omit<HandlerParts, 'uploads'> & DoorParts;

/** Makes the cells of extensions. */
export class CellMaker {
  readonly #parts: CellParts;
  readonly #place: string | undefined;
  #uploads: Promise<string> | undefined;

  /** @param place the folder in which uploads wait; left out: among the system's temporary files. */
  constructor(parts: CellParts, place: string | undefined) {
    this.#parts = parts;
    this.#place = place;
  }

  async make(content: CellContent): Promise<Cell> {
    const { operations, doors = [] } = content;
    assertPaths(content);
    const takesUploads = operations.some(({ operation }) => operation.kind === 'upload');
    const parts = { ...this.#parts, uploads: takesUploads ? await this.#uploadFolder() : tmpdir() };
    return new HapiCell(content, parts.responder, () =>
      makeServer(async (server) => {
        await addOperations(server, operations, parts);
        addDoors(server, doors, parts);
      }),
    );
  }

  async close(): Promise<void> {
    if (this.#uploads) await rm(await this.#uploads, { recursive: true, force: true });
  }

  #uploadFolder(): Promise<string> {
    this.#uploads ??= this.#place === undefined ? mkdtemp(join(tmpdir(), 'platform-uploads-')) : uploadFolder(this.#place);
    return this.#uploads;
  }
}

/**
 * A new folder, in which this process keeps uploads until their handlers have had them. What lies beside it was left by processes that
 * were killed, and goes: call it where no other server has the data folder.
 */
export async function uploadFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
  return mkdtemp(join(folder, 'process-'));
}
