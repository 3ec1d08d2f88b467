import { createHash } from 'node:crypto';
import type { Entry } from '../data/archive.js';
import { blobChunk, type Reader, usedBlobs } from './snapshot-sql.js';

/** Returns a blob's bytes by the hex of its hash. */
export type ReadBlob = (hex: string) => Promise<Buffer | undefined>;

/** Returns the intact blobs of a snapshot that are in use, so that no deleted file is among them. Adds missing and damaged ones to `missing`. */
export async function* blobEntries(snapshot: Reader, read: ReadBlob, missing: string[]): AsyncGenerator<Entry> {
  for (let hashes = await usedBlobs(snapshot, ''); hashes.length > 0; hashes = await usedBlobs(snapshot, hashes.at(-1) ?? '')) {
    for (const hash of hashes) {
      const bytes = await read(hash);
      if (bytes && createHash('sha256').update(bytes).digest('hex') === hash) {
        yield { name: `blobs/${hash}`, bytes: bytes.byteLength, content: [bytes] };
      } else missing.push(hash);
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
