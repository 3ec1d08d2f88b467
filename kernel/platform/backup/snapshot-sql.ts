import type { Snapshot } from '../data/driver.js';

// A snapshot is read on a connection of its own, which models do not reach.

/** Reads like a snapshot. */
export type Reader = Pick<Snapshot, 'rows'>;

/** Reads the next 500 blobs that have holders, in the order of their hashes. */
export async function usedBlobs(reader: Reader, after: string): Promise<string[]> {
  const sql = `SELECT b.hash FROM kernel_blobs b WHERE b.hash > $1
    AND EXISTS (SELECT 1 FROM kernel_blob_holders h WHERE h.hash = b.hash) ORDER BY b.hash LIMIT 500`;
  return (await reader.rows<{ hash: string }>(sql, [after])).map(({ hash }) => hash);
}

/** Reads a part of a blob's bytes; undefined after the last one. */
export async function blobChunk(reader: Reader, hash: string, number: number): Promise<Buffer | undefined> {
  const sql = 'SELECT content FROM kernel_blob_chunks WHERE hash = $1 AND number = $2';
  return (await reader.rows<{ content: Buffer }>(sql, [hash, number]))[0]?.content;
}

/** Sums up the bytes of all blobs, also of the few that have no holder. */
export async function blobBytes(reader: Reader): Promise<number> {
  const [blobs] = await reader.rows<{ bytes: number }>('SELECT COALESCE(SUM(bytes), 0) AS bytes FROM kernel_blobs', []);
  return Number(blobs?.bytes ?? 0);
}
