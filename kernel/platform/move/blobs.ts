import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { blobEntries } from '../backup/blob-entries.js';
import { writeChunks } from '../data/blob-chunks-sql.js';
import { BlobFolder } from '../data/blob-folder.js';
import { failMove } from './codes.js';
import type { MoveContext } from './copy.js';
import type { MovedTable } from './table.js';
import { chunks_table } from './target-sql.js';

export interface MovedBlobs extends MovedTable {
  /** Blobs in use whose files are missing or damaged; the target has no bytes of them either. */
  missing: string[];
}

/** Copies the blobs' files into the target, which then hashes its copies. Fails with `move_differs`. */
export async function moveBlobs(data_dir: string, { source, target, progress }: MoveContext): Promise<MovedBlobs> {
  const folder = new BlobFolder(join(data_dir, 'blobs'));
  const missing: string[] = [];
  const digest = createHash('sha256');
  let rows = 0;
  for await (const { name, content } of blobEntries(source, (hex) => folder.read(hex), missing)) {
    const hex = name.slice(name.indexOf('/') + 1);
    for await (const bytes of content) await writeChunks((sql, values) => target.run(sql, values), hex, bytes);
    const actual = await target.blobHash(hex);
    if (actual !== hex) throw failMove('move_differs', `The blob ${hex} differs: its copy in PostgreSQL has the hash ${actual}`);
    digest.update(hex).update('\n');
    rows += 1;
    progress(1);
  }
  return { table: chunks_table, rows, sha256: digest.digest('hex'), missing };
}
