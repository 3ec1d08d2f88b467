import { chunk_bytes, writeChunks } from './blob-chunks-sql.js';
import type { BlobRows } from './blob-rows-sql.js';
import type { BlobStorage } from './blobs.js';
import type { Data } from './hub.js';

/** Blobs in the database. Deleting a row deletes its chunks. */
export class BlobTable implements BlobStorage {
  readonly #data: Data;
  readonly #rows: BlobRows;

  constructor(data: Data, rows: BlobRows) {
    this.#data = data;
    this.#rows = rows;
  }

  async read(hex: string): Promise<Buffer | undefined> {
    const { blobs, blob_chunks } = this.#data.models;
    const blob = await blobs.findOne({ attributes: ['bytes'], where: { hash: hex }, raw: true });
    if (!blob) return undefined;
    const chunks: Buffer[] = [];
    for (let number = 0; number * chunk_bytes < blob.bytes; number += 1) {
      const chunk = await blob_chunks.findOne({ attributes: ['content'], where: { hash: hex, number }, raw: true });
      // Deleted during the read, or damaged: the caller checks the hash.
      if (!chunk) return (await this.#rows.has(hex)) ? Buffer.concat(chunks) : undefined;
      chunks.push(chunk.content);
    }
    return Buffer.concat(chunks);
  }

  put(hex: string, bytes: Uint8Array): Promise<void> {
    const db = this.#data.facade('kernel');
    return db.transaction(async () => {
      const stored = !(await this.#rows.put(hex, bytes.byteLength)) && (await this.#hasChunks(hex));
      if (!stored) await writeChunks((sql, values) => db.run(sql, values), hex, bytes);
    });
  }

  /** Returns whether a blob has content. A restored one has none if it had no holder when the backup was made. */
  async #hasChunks(hex: string): Promise<boolean> {
    return (await this.#data.models.blob_chunks.count({ where: { hash: hex, number: 0 } })) > 0;
  }

  drop(hex: string, before?: string): Promise<boolean> {
    return this.#rows.drop(hex, before);
  }
}
