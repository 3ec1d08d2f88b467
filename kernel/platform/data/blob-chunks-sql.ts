import type { SqlValue } from '../../contract/data.js';

export const chunk_bytes = 1024 * 1024;

/**
 * Writes a blob's bytes in chunks of 1 MiB. Plain SQL, because a restore and a move to another database use their own connections,
 * which models can't use.
 */
export async function writeChunks(
  run: (sql: string, values: SqlValue[]) => Promise<unknown>,
  hex: string,
  bytes: Uint8Array,
): Promise<void> {
  for (let number = 0; number * chunk_bytes < bytes.byteLength; number += 1) {
    const content = bytes.subarray(number * chunk_bytes, (number + 1) * chunk_bytes);
    await run('INSERT INTO kernel_blob_chunks (hash, number, content) VALUES ($1, $2, $3)', [hex, number, content]);
  }
}
