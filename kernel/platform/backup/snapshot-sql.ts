import type { Snapshot } from '../data/driver.js';

// A snapshot is read on a connection of its own, which models do not reach.

/** Reads like a snapshot. */
export type Reader = Pick<Snapshot, 'rows'>;

/** Reads the next 500 blobs in the order of their hashes, and whether each is in use. */
export function blobsAfter(reader: Reader, hash: string): Promise<{ hash: string; in_use: number }[]> {
  const in_use = 'CASE WHEN EXISTS (SELECT 1 FROM kernel_blob_holders h WHERE h.hash = b.hash) THEN 1 ELSE 0 END';
  return reader.rows(`SELECT b.hash, ${in_use} AS in_use FROM kernel_blobs b WHERE b.hash > $1 ORDER BY b.hash LIMIT 500`, [hash]);
}

/** Reads a part of a blob's bytes; undefined after the last one. */
export async function blobChunk(reader: Reader, hash: string, number: number): Promise<Buffer | undefined> {
  const sql = 'SELECT content FROM kernel_blob_chunks WHERE hash = $1 AND number = $2';
  return (await reader.rows<{ content: Buffer }>(sql, [hash, number]))[0]?.content;
}

/** Sums up the bytes of all blobs. */
export async function blobBytes(reader: Reader): Promise<number> {
  const [blobs] = await reader.rows<{ bytes: number }>('SELECT COALESCE(SUM(bytes), 0) AS bytes FROM kernel_blobs', []);
  return Number(blobs?.bytes ?? 0);
}
