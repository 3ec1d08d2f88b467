import type { BlobFolder } from './blob-folder.js';
import type { BlobRows } from './blob-rows-sql.js';
import type { BlobPlace } from './blobs.js';

/**
 * Blobs as files, and their rows beside them. One process has the folder: here a blob's file and row change
 * under one lock, so that nobody removes the file that another has just found.
 */
export class BlobFiles implements BlobPlace {
  readonly #folder: BlobFolder;
  readonly #rows: BlobRows;
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(folder: BlobFolder, rows: BlobRows) {
    this.#folder = folder;
    this.#rows = rows;
  }

  read(hex: string): Promise<Buffer | undefined> {
    return this.#folder.read(hex);
  }

  put(hex: string, bytes: Uint8Array): Promise<void> {
    return this.#alone(hex, async () => {
      await this.#rows.put(hex, bytes.byteLength);
      if (!(await this.#folder.has(hex))) await this.#folder.write(hex, bytes);
    });
  }

  drop(hex: string, before?: string): Promise<boolean> {
    return this.#alone(hex, async () => {
      const dropped = await this.#rows.drop(hex, before);
      if (dropped) await this.#folder.delete(hex);
      return dropped;
    });
  }

  /** Removes a file whose row is gone: the process ended in between. */
  sweep(hex: string): Promise<void> {
    return this.#alone(hex, async () => {
      if (!(await this.#rows.has(hex))) await this.#folder.delete(hex);
    });
  }

  #alone<T>(hex: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(hex) ?? Promise.resolve()).then(work, work);
    this.#turns.set(hex, turn);
    const forget = () => {
      if (this.#turns.get(hex) === turn) this.#turns.delete(hex);
    };
    turn.then(forget, forget);
    return turn;
  }
}
