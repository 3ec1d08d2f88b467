import { createHash } from 'node:crypto';
import type { Entry } from '../data/archive.js';
import { blobChunk, blobsAfter, type Reader } from './snapshot-sql.js';

/** Returns a blob's bytes by the hex of its hash. */
export type ReadBlob = (hex: string) => Promise<Buffer | undefined>;

/** Returns the intact blobs of a snapshot. Adds those in use that are missing or damaged to `missing`. */
export async function* blobEntries(snapshot: Reader, read: ReadBlob, missing: string[]): AsyncGenerator<Entry> {
  for (let rows = await blobsAfter(snapshot, ''); rows.length > 0; rows = await blobsAfter(snapshot, rows.at(-1)?.hash ?? '')) {
    for (const { hash, in_use } of rows) {
      const bytes = await read(hash);
      if (bytes && createHash('sha256').update(bytes).digest('hex') === hash) {
        yield { name: `blobs/${hash}`, bytes: bytes.byteLength, content: [bytes] };
      } else if (in_use) missing.push(hash);
    }
  }
}

/** Reads blobs that are stored in the snapshot itself. */
export function blobsInside(snapshot: Reader): ReadBlob {
  return async (hex) => {
    const chunks: Buffer[] = [];
    for (;;) {
      const chunk = await blobChunk(snapshot, hex, chunks.length);
      if (!chunk) return Buffer.concat(chunks);
      chunks.push(chunk);
    }
  };
}
