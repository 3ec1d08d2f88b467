import type { FileHandle } from 'node:fs/promises';
import { fail } from './codes.js';
import { type BundleEntry, hasDescriptor } from './entries.js';
import { shown } from './names.js';

/** Start of an entry and end of its content. */
export interface Extent {
  entry: BundleEntry;
  start: number;
  end: number;
}

const descriptorSignature = 0x08074b50;

/**
 * Verifies that the entries fill the file up to its directory without gaps or overlaps, so that all programs read the same
 * files, and nothing is hidden between them.
 *
 * @throws `bundle_overlapping`, `bundle_stray_bytes`, `bundle_header_mismatch`
 */
export async function assertFilled(file: FileHandle, extents: readonly Extent[], directory: number): Promise<void> {
  const sorted = extents.toSorted((one, other) => one.start - other.start);
  let at = 0;
  for (const [index, extent] of sorted.entries()) {
    if (extent.start !== at) throw misplaced(extent, at);
    const next = sorted[index + 1]?.start ?? directory;
    if (extent.end > next) throw misplaced(extent, extent.end, next);
    at = hasDescriptor(extent.entry.raw) ? extent.end + (await descriptorLength(file, extent, next - extent.end)) : extent.end;
  }
  if (at !== directory) throw fail('bundle_stray_bytes', `The ZIP has ${directory - at} bytes before its directory that belong to no file`);
}

function misplaced({ entry, start }: Extent, at: number, next = start) {
  const path = shown(entry.path);
  if (next < at) return fail('bundle_overlapping', `'${path}' shares bytes with another entry or with the ZIP's directory`);
  return fail('bundle_stray_bytes', `The ZIP has ${start - at} bytes before '${path}' that belong to no file`);
}

/** Returns the length of the data descriptor after the content (APPNOTE 4.3.9). */
async function descriptorLength(file: FileHandle, { entry, end }: Extent, room: number): Promise<number> {
  const { crc32, compressedSize, uncompressedSize } = entry.raw;
  const length = Math.min(room, 16);
  const found = Buffer.alloc(16);
  if (length >= 12) await file.read(found, 0, length, end);
  const matches = (at: number) =>
    found.readUInt32LE(at) === crc32 && found.readUInt32LE(at + 4) === compressedSize && found.readUInt32LE(at + 8) === uncompressedSize;
  if (length === 16 && found.readUInt32LE(0) === descriptorSignature && matches(4)) return 16;
  if (length >= 12 && matches(0)) return 12;
  throw fail('bundle_header_mismatch', `What follows '${shown(entry.path)}' contradicts the ZIP's directory`);
}
