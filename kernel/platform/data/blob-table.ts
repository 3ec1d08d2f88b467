import { chunk_bytes, writeChunks } from './blob-chunks.js';
import type { BlobRows } from './blob-rows.js';
import type { BlobPlace } from './blobs.js';
import type { Facade } from './facade.js';

/** Blobs in the database. They go with their row. */
export class BlobTable implements BlobPlace {
  readonly #db: Facade;
  readonly #rows: BlobRows;

  constructor(db: Facade, rows: BlobRows) {
    this.#db = db;
    this.#rows = rows;
  }

  async read(hex: string): Promise<Buffer | undefined> {
    const [blob] = await this.#db.rows<{ bytes: number }>('SELECT bytes FROM kernel_blobs WHERE hash = $1', [hex]);
    if (!blob) return undefined;
    const chunks: Buffer[] = [];
    for (let number = 0; number * chunk_bytes < blob.bytes; number += 1) {
      const sql = 'SELECT content FROM kernel_blob_chunks WHERE hash = $1 AND number = $2';
      const [chunk] = await this.#db.rows<{ content: Buffer }>(sql, [hex, number]);
      // Deleted meanwhile, or damaged: the caller's check of the hash tells.
      if (!chunk) return (await this.#rows.has(hex)) ? Buffer.concat(chunks) : undefined;
      chunks.push(chunk.content);
    }
    return Buffer.concat(chunks);
  }

  put(hex: string, bytes: Uint8Array): Promise<void> {
    return this.#db.transaction(async () => {
      if (await this.#rows.put(hex, bytes.byteLength)) await writeChunks((sql, values) => this.#db.run(sql, values), hex, bytes);
    });
  }

  drop(hex: string, before?: string): Promise<boolean> {
    return this.#rows.drop(hex, before);
  }
}
