import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ZipFile } from 'yazl';
import { fail } from './codes.js';
import { shown } from './names.js';

/** A file of a bundle that is written: one of a folder, or one that was made. */
export interface Piece {
  name: string;
  content: Buffer | undefined;
  /** Its path in the folder. Default: its name. */
  from?: string;
}

const mode = 0o100644;

/**
 * Writes a ZIP whose bytes follow from the names and contents alone: times and modes are always the same. Without `compress` they
 * do not even depend on the machine; deflate's output differs between versions and processors.
 *
 * @throws `pack_failed` where a file can't be read
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
  // By the wall clock, since a ZIP knows no time zone: so it is the same everywhere.
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
