import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { blobEntries } from '../backup/blob-entries.js';
import { writeChunks } from '../data/blob-chunks-sql.js';
import { BlobFolder } from '../data/blob-folder.js';
import { failMove } from './codes.js';
import type { Ends } from './copy.js';
import type { MovedTable } from './table.js';
import { chunks_table } from './target-sql.js';

export interface MovedBlobs extends MovedTable {
  /** Blobs that somebody holds, and whose files are absent or damaged: these have no bytes in the target either. */
  missing: string[];
}

/** Puts the blobs' files into the target, and has it hash what it then holds. Fails with `move_differs`. */
export async function moveBlobs(data_dir: string, { source, target, progress }: Ends): Promise<MovedBlobs> {
  const folder = new BlobFolder(join(data_dir, 'blobs'));
  const missing: string[] = [];
  const all = createHash('sha256');
  let rows = 0;
  for await (const { name, content } of blobEntries(source, (hex) => folder.read(hex), missing)) {
    const hex = name.slice(name.indexOf('/') + 1);
    for await (const bytes of content) await writeChunks((sql, values) => target.run(sql, values), hex, bytes);
    const found = await target.blobHash(hex);
    if (found !== hex) throw failMove('move_differs', `The blob ${hex} is not the same: what PostgreSQL holds has the hash ${found}`);
    all.update(hex).update('\n');
    rows += 1;
    progress(1);
  }
  return { table: chunks_table, rows, sha256: all.digest('hex'), missing };
}
