import { pipeline, type Readable } from 'node:stream';
import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';
import { fail } from './codes.js';
import type { BundleEntry } from './entries.js';
import { shown } from './names.js';
import type { Tally } from './tally.js';

export interface InflateOptions {
  entry: BundleEntry;
  /** Counts bytes across all files of the bundle. */
  tally?: Tally | undefined;
  signal: AbortSignal;
}

/**
 * Decompresses an entry in pieces. Trusts nothing: it completes only if size, checksum and compressed length
 * match the ZIP's directory.
 *
 * @throws `bundle_damaged`, `bundle_size_mismatch`, `bundle_crc_mismatch`, and what the tally throws
 */
export async function* inflated(compressed: Readable, { entry, tally, signal }: InflateOptions): AsyncGenerator<Buffer> {
  const { raw, path, bytes } = entry;
  const inflater = raw.compressionMethod === 0 ? undefined : createInflateRaw();
  // Errors surface on the last stream.
  const source: Readable = inflater === undefined ? compressed : pipeline(compressed, inflater, () => undefined);
  let count = 0;
  let checksum = 0;
  for await (const piece of readable(source, path)) {
    signal.throwIfAborted();
    count += piece.length;
    if (count > bytes) throw fail('bundle_size_mismatch', `'${shown(path)}' is longer than the ${bytes} bytes that the ZIP names`);
    tally?.add(piece.length);
    checksum = crc32(piece, checksum);
    yield piece;
  }
  assertConsumed(inflater, entry);
  if (count < bytes) throw fail('bundle_size_mismatch', `'${shown(path)}' has ${count} bytes instead of the ${bytes} that the ZIP names`);
  if (checksum !== raw.crc32)
    throw fail('bundle_crc_mismatch', `The content of '${shown(path)}' is not what was packed: its checksum differs`);
}

async function* readable(source: Readable, path: string): AsyncGenerator<Buffer> {
  try {
    for await (const piece of source) yield piece as Buffer;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw fail('bundle_damaged', `'${shown(path)}' can't be unpacked: ${reason}`, { cause });
  }
}

/** Fails on bytes after the compressed data of an entry, which could hide content. */
function assertConsumed(inflater: InflateRaw | undefined, { raw, path }: BundleEntry): void {
  if (inflater === undefined || inflater.bytesWritten === raw.compressedSize) return;
  throw fail('bundle_size_mismatch', `The compressed content of '${shown(path)}' ends before the length that the ZIP names`);
}
