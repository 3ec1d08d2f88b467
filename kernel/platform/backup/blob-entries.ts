import { createHash } from 'node:crypto';
import type { Entry } from '../data/archive.js';
import { blobChunk, blobsAfter, type Reader } from './snapshot-sql.js';

/** Gives a blob's bytes by the hex of its hash. */
export type ReadBlob = (hex: string) => Promise<Buffer | undefined>;

/** The blobs of a snapshot: those that are there and whole. Those that somebody holds and that aren't go to `missing`. */
export async function* blobEntries(snapshot: Reader, read: ReadBlob, missing: string[]): AsyncGenerator<Entry> {
  for (let rows = await blobsAfter(snapshot, ''); rows.length > 0; rows = await blobsAfter(snapshot, rows.at(-1)?.hash ?? '')) {
    for (const { hash, held } of rows) {
      const bytes = await read(hash);
      if (bytes && createHash('sha256').update(bytes).digest('hex') === hash) {
        yield { name: `blobs/${hash}`, bytes: bytes.byteLength, content: [bytes] };
      } else if (held) missing.push(hash);
    }
  }
}

/** Blobs that lie in the snapshot itself. */
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
