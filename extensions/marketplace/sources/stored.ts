import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { fail } from './codes.js';
import { max_bundle_bytes } from './limits.js';
import { chunksOf, lengthOf } from './pieces.js';
import type { Site } from './site.js';
import type { Download, SourceItem } from './source.js';

interface IncomingBundle {
  item: SourceItem;
  from: string;
  /** Reports the bytes received. */
  onProgress: (bytes: number) => void;
}

/** Writes a download to a new file that only the platform may read, and verifies its hash; on failure nothing is left. */
export async function store(
  pieces: AsyncIterable<Uint8Array>,
  file: string,
  { item, from, onProgress: arrived }: IncomingBundle,
): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of pieces) {
      hash.update(piece);
      await handle.writeFile(piece);
      bytes += piece.byteLength;
      arrived(bytes);
    }
    const found = `sha256:${hash.digest('hex')}`;
    if (found !== item.content_hash) {
      throw fail('source_hash_mismatch', `${from} sent ${found} for ${item.id} ${item.version}, but announced ${item.content_hash}`);
    }
  } catch (fault) {
    await rm(file, { force: true });
    throw fault;
  } finally {
    await handle.close();
  }
}

/** Stores a web server's answer. */
export async function storeAnswer(
  answer: Response,
  file: string,
  { item, site, signal, onProgress }: Download & { item: SourceItem; site: Site },
): Promise<void> {
  const total = lengthOf(answer);
  const pieces = chunksOf(answer, { site, what: `The bundle of ${item.id} ${item.version}`, max: max_bundle_bytes, signal });
  await store(pieces, file, { item, from: site.name, onProgress: (bytes) => onProgress?.(bytes, total) });
}
