import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ZipFile } from 'yazl';
import { fail } from './codes.js';
import { shown } from './names.js';

/** A file to write: from a folder, or generated. */
export interface Piece {
  name: string;
  content: Buffer | undefined;
  /** Path in the folder. Default: its name. */
  from?: string;
}

const mode = 0o100644;

/**
 * Writes a ZIP whose bytes depend only on names and contents: times and modes are constant. Without `compress` they are the
 * same on every machine; deflate's output differs between versions and processors.
 *
 * @throws `pack_failed` if a file can't be read
 */
export async function writeZip(
  file: string,
  pieces: readonly Piece[],
  { folder, compress }: { folder: string; compress: boolean },
): Promise<void> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const failing = new AbortController();
  const stop = (fault: unknown) => failing.abort(fault);
  zip.on('error', stop);
  // Local time, because ZIP has no time zone, so the bytes are the same everywhere.
  const packed_at = new Date(2000, 0, 1, 12);
  const options = { mtime: packed_at, mode, compress, forceDosTimestamp: true };
  for (const { name, content, from = name } of pieces) {
    if (content !== undefined) zip.addBuffer(content, name, options);
    else zip.addReadStreamLazy(name, options, (give) => give(undefined, createReadStream(join(folder, from)).once('error', stop)));
  }
  zip.end();
  await written(zip, file, failing.signal);
}

async function written(zip: ZipFile, file: string, failing: AbortSignal): Promise<void> {
  try {
    await pipeline(zip.outputStream, createWriteStream(file, { flags: 'wx', mode: 0o644 }), { signal: failing });
  } catch (fault) {
    const cause: unknown = failing.aborted ? failing.reason : fault;
    throw fail('pack_failed', `The bundle can't be written: ${shown(cause instanceof Error ? cause.message : String(cause))}`, { cause });
  }
}
