import type { Clock } from '../contract/extension.js';
import type { BlobPlace } from './blobs.js';
import type { Facade } from './facade.js';
import type { Data } from './hub.js';

const chunk_bytes = 1024 * 1024;

/** Blobs in the database, in chunks that no statement chokes on. */
export class BlobTable implements BlobPlace {
  readonly #db: Facade;
  readonly #clock: Clock;

  constructor(data: Data, clock: Clock) {
    this.#db = data.facade('kernel');
    this.#clock = clock;
  }

  async has(hex: string): Promise<boolean> {
    const rows = await this.#db.rows('SELECT 1 FROM kernel_blobs WHERE hash = $1', [hex]);
    return rows.length > 0;
  }

  async read(hex: string): Promise<Buffer | undefined> {
    const [blob] = await this.#db.rows<{ bytes: number }>('SELECT bytes FROM kernel_blobs WHERE hash = $1', [hex]);
    if (!blob) return undefined;
    const chunks: Buffer[] = [];
    for (let number = 0; number * chunk_bytes < blob.bytes; number += 1) {
      const sql = 'SELECT content FROM kernel_blob_chunks WHERE hash = $1 AND number = $2';
      const [chunk] = await this.#db.rows<{ content: Buffer }>(sql, [hex, number]);
      // Deleted meanwhile, or damaged: the caller's check of the hash tells.
      if (!chunk) return (await this.has(hex)) ? Buffer.concat(chunks) : undefined;
      chunks.push(chunk.content);
    }
    return Buffer.concat(chunks);
  }

  write(hex: string, bytes: Uint8Array): Promise<void> {
    return this.#db.transaction(async () => {
      const sql = 'INSERT INTO kernel_blobs (hash, bytes, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
      const made = await this.#db.run(sql, [hex, bytes.byteLength, this.#clock.iso()]);
      if (made === 0) return;
      for (let number = 0; number * chunk_bytes < bytes.byteLength; number += 1) {
        const content = bytes.subarray(number * chunk_bytes, (number + 1) * chunk_bytes);
        await this.#db.run('INSERT INTO kernel_blob_chunks (hash, number, content) VALUES ($1, $2, $3)', [hex, number, content]);
      }
    });
  }

  async delete(hex: string): Promise<void> {
    await this.#db.run('DELETE FROM kernel_blobs WHERE hash = $1', [hex]);
  }
}
