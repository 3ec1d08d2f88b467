import type { FileHandle } from 'node:fs/promises';
import { fail } from './codes.js';
import { bundle_entries, comment_bytes } from './limits.js';
import { packHint } from './names.js';

/** Position of a ZIP's central directory, from its end record. */
export interface Tail {
  entries: number;
  start: number;
  end: number;
}

const record_bytes = 22;
const max_comment_length = 0xffff;
const signature = Buffer.from('PK\x05\x06', 'latin1');
const locator64 = Buffer.from('PK\x06\x07', 'latin1');
const locator64_bytes = 20;
/** Start of the first part of a split archive. */
const split_mark = 'PK\x07\x08';
/** Signatures of other archive formats. */
const others: readonly [mark: string, kind: string][] = [
  ['\x1f\x8b', 'a gzip file'],
  ['7z\xbc\xaf\x27\x1c', 'a 7-Zip archive'],
  ['Rar!', 'a RAR archive'],
  ['BZh', 'a bzip2 file'],
  ['\xfd7zXZ', 'an XZ file'],
  ['\x28\xb5\x2f\xfd', 'a Zstandard file'],
];
const beginnings = ['PK\x03\x04', 'PK\x05\x06'];

/**
 * Reads the end record of a ZIP (APPNOTE 4.3.16). Every byte after the central directory must belong to it.
 *
 * @throws `bundle_not_zip`, `bundle_truncated`, `bundle_stray_bytes`, `bundle_unsupported`, `bundle_damaged`, `bundle_too_many_entries`
 */
export async function readTail(file: FileHandle, size: number, max_entries = bundle_entries): Promise<Tail> {
  const start = Math.max(0, size - record_bytes - max_comment_length - locator64_bytes);
  const last = await readAt(file, start, size - start);
  const at = last.lastIndexOf(signature);
  if (at === -1 || last.length - at < record_bytes) throw await withoutTail(file);
  const comment = last.readUInt16LE(at + 20);
  const behind = last.length - at - record_bytes;
  if (behind < comment) throw fail('bundle_truncated', `The ZIP ends within its comment: ${comment - behind} bytes are missing`);
  if (behind > comment) throw fail('bundle_stray_bytes', `The ZIP is followed by ${behind - comment} bytes that don't belong to it`);
  if (comment > comment_bytes) throw fail('bundle_unsupported', `The ZIP's comment is longer than ${comment_bytes} bytes`);
  const hasLocator =
    at >= locator64_bytes &&
    last
      .subarray(at - locator64_bytes)
      .subarray(0, 4)
      .equals(locator64);
  if (hasLocator) throw fail('bundle_unsupported', `The ZIP is of the kind ZIP64, which nothing below 4 GiB needs. ${packHint}`);
  return checked(last.subarray(at), start + at, max_entries);
}

function checked(record: Buffer, at: number, max_entries: number): Tail {
  const [disk, first, here, entries] = [4, 6, 8, 10].map((offset) => record.readUInt16LE(offset)) as [number, number, number, number];
  if (disk !== 0 || first !== 0 || here !== entries) throw fail('bundle_unsupported', `The ZIP is one of several parts. ${packHint}`);
  if (entries > max_entries) throw fail('bundle_too_many_entries', `The bundle has ${entries} entries; at most ${max_entries} are taken`);
  const start = record.readUInt32LE(16);
  const end = start + record.readUInt32LE(12);
  if (end > at) throw fail('bundle_damaged', "The ZIP's directory is longer than what there is before its end");
  if (end < at) throw fail('bundle_stray_bytes', `The ZIP has ${at - end} bytes before its end that belong to nothing`);
  return { entries, start, end };
}

async function withoutTail(file: FileHandle) {
  const first = (await readAt(file, 0, 8)).toString('latin1');
  const beginning = first.slice(0, 4);
  if (beginning === split_mark) return fail('bundle_unsupported', `The ZIP is one of several parts. ${packHint}`);
  const kind = others.find(([mark]) => first.startsWith(mark))?.[1];
  if (kind !== undefined) return fail('bundle_not_zip', `The file is no ZIP but ${kind}. ${packHint}`);
  if (beginnings.includes(beginning)) return fail('bundle_truncated', 'The ZIP has no end: it was cut off');
  return fail('bundle_not_zip', 'The file is no ZIP');
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}
