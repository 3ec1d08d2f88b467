import { createHash } from 'node:crypto';
import type { Entry } from '../data/archive.js';
import type { Snapshot } from '../data/driver.js';

/** Gives a blob's bytes by the hex of its hash. */
export type ReadBlob = (hex: string) => Promise<Buffer | undefined>;

interface Row {
  hash: string;
  held: number;
}

/** The blobs of a snapshot: those that are there and whole. Those that somebody holds and that aren't go to `missing`. */
export async function* blobEntries(snapshot: Pick<Snapshot, 'rows'>, read: ReadBlob, missing: string[]): AsyncGenerator<Entry> {
  const held = 'CASE WHEN EXISTS (SELECT 1 FROM kernel_blob_holders h WHERE h.hash = b.hash) THEN 1 ELSE 0 END';
  const sql = `SELECT b.hash, ${held} AS held FROM kernel_blobs b WHERE b.hash > $1 ORDER BY b.hash LIMIT 500`;
  for (let rows = await snapshot.rows<Row>(sql, ['']); rows.length > 0; rows = await snapshot.rows<Row>(sql, [rows.at(-1)?.hash ?? ''])) {
    for (const { hash, held } of rows) {
      const bytes = await read(hash);
      if (bytes && createHash('sha256').update(bytes).digest('hex') === hash) {
        yield { name: `blobs/${hash}`, bytes: bytes.byteLength, content: [bytes] };
      } else if (held) missing.push(hash);
    }
  }
}

/** Blobs that lie in the snapshot itself. */
export function blobsInside(snapshot: Snapshot): ReadBlob {
  const sql = 'SELECT content FROM kernel_blob_chunks WHERE hash = $1 AND number = $2';
  return async (hex) => {
    const chunks: Buffer[] = [];
    for (;;) {
      const [chunk] = await snapshot.rows<{ content: Buffer }>(sql, [hex, chunks.length]);
      if (!chunk) return Buffer.concat(chunks);
      chunks.push(chunk.content);
    }
  };
}
