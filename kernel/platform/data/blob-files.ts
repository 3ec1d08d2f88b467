import type { BlobFolder } from './blob-folder.js';
import type { BlobRows } from './blob-rows-sql.js';
import type { BlobStorage } from './blobs.js';

/**
 * Blobs as files with rows in the database. Only one process uses the folder: a lock per blob covers file and row, so that no call
 * removes a file that another has just found.
 */
export class BlobFiles implements BlobStorage {
  readonly #folder: BlobFolder;
  readonly #rows: BlobRows;
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(folder: BlobFolder, rows: BlobRows) {
    this.#folder = folder;
    this.#rows = rows;
  }

  read(hex: string): Promise<Buffer | undefined> {
    return this.#folder.read(hex);
  }

  put(hex: string, bytes: Uint8Array): Promise<void> {
    return this.#serialised(hex, async () => {
      await this.#rows.put(hex, bytes.byteLength);
      if (!(await this.#folder.has(hex))) await this.#folder.write(hex, bytes);
    });
  }

  drop(hex: string, before?: string): Promise<boolean> {
    return this.#serialised(hex, async () => {
      const dropped = await this.#rows.drop(hex, before);
      if (dropped) await this.#folder.delete(hex);
      return dropped;
    });
  }

  /** Removes an orphaned file, left by a process that ended between deleting the row and the file. */
  sweep(hex: string): Promise<void> {
    return this.#serialised(hex, async () => {
      if (!(await this.#rows.has(hex))) await this.#folder.delete(hex);
    });
  }

  #serialised<T>(hex: string, work: () => Promise<T>): Promise<T> {
    const current = (this.#queues.get(hex) ?? Promise.resolve()).then(work, work);
    this.#queues.set(hex, current);
    const forget = () => {
      if (this.#queues.get(hex) === current) this.#queues.delete(hex);
    };
    current.then(forget, forget);
    return current;
  }
}
