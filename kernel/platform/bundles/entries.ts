import type { Entry, LocalFileHeader } from 'yauzl';
import { fail } from './codes.js';
import { isJunk } from './junk-files.js';
import { comment_bytes, extra_bytes } from './limits.js';
import { assertSafe, decodeName, packHint, shown } from './names.js';

/** A file or folder within a bundle. */
export interface BundleEntry {
  /** Path with slashes; a folder's ends with one. */
  path: string;
  isFolder: boolean;
  /** Size declared in the directory; decompression must verify it. */
  bytes: number;
  /** The entry as yauzl read it. */
  raw: Entry;
}

/** Compression methods by number (APPNOTE 4.4.5). */
const methods: Readonly<Record<number, string>> = {
  1: 'shrinking',
  6: 'imploding',
  9: 'Deflate64',
  12: 'bzip2',
  14: 'LZMA',
  93: 'Zstandard',
  95: 'XZ',
  98: 'PPMd',
  99: 'AES encryption',
};
const stored = 0;
const deflated = 8;
/** Bits of the general purpose flag (APPNOTE 4.4.4). */
const encrypted = 0x0001 | 0x0040 | 0x2000;
const patched = 0x0020;
const descriptor = 0x0008;
const zip64 = 0x0001;
const unicodePath = 0x7075;
/** Unix file types, in the upper half of an entry's attributes. */
const types = 0o170000;
const folderType = 0o040000;
const fileType = 0o100000;
/** DOS attributes. */
const volumeLabel = 0x08;
const folderBit = 0x10;

/**
 * Checks an entry's directory record before any of its bytes are read.
 *
 * @throws `bundle_path_unsafe`, `bundle_special_entry`, `bundle_encrypted`, `bundle_unsupported`, `bundle_size_mismatch`, `bundle_damaged`
 */
export function checkedEntry(raw: Entry): BundleEntry {
  const path = decodeName(raw.fileNameRaw);
  // Junk files are exempt: a file of macOS Finder has a carriage return in its name, and is never unpacked.
  if (!isJunk(path)) assertSafe(path);
  assertReadable(raw, path);
  const isFolder = path.endsWith('/');
  assertOrdinary(raw, path, isFolder);
  const { compressionMethod: method, compressedSize, uncompressedSize: bytes } = raw;
  if ((method === stored && bytes !== compressedSize) || (isFolder && bytes !== 0)) {
    throw fail('bundle_size_mismatch', `The sizes of '${shown(path)}' contradict each other`);
  }
  return { path, isFolder, bytes, raw };
}

function assertReadable(raw: Entry, path: string): void {
  const { generalPurposeBitFlag: flags, compressionMethod: method } = raw;
  if ((flags & encrypted) !== 0) throw fail('bundle_encrypted', `'${shown(path)}' is encrypted: pack it without a password`);
  if (method !== stored && method !== deflated) {
    throw fail(
      'bundle_unsupported',
      `'${shown(path)}' is compressed by ${methods[method] ?? `method ${method}`}; only deflate and none are read. ${packHint}`,
    );
  }
  if ((flags & patched) !== 0) throw fail('bundle_unsupported', `'${shown(path)}' is a patch`);
  if (raw.extraFieldLength > extra_bytes || raw.fileCommentLength > comment_bytes) {
    throw fail('bundle_unsupported', `'${shown(path)}' carries more than ${extra_bytes} bytes beside its content`);
  }
  if (raw.extraFields.some(({ id }) => id === zip64))
    throw fail('bundle_unsupported', `'${shown(path)}' is of the kind ZIP64, which nothing below 4 GiB needs. ${packHint}`);
  const second = raw.extraFields.find(({ id }) => id === unicodePath);
  // Some programs would unpack it under this second name.
  if (second !== undefined && !second.data.subarray(5).equals(raw.fileNameRaw)) {
    throw fail('bundle_path_unsafe', `'${shown(path)}' has two names, one for programs that know no UTF-8. ${packHint}`);
  }
}

function assertOrdinary({ externalFileAttributes: attributes }: Entry, path: string, isFolder: boolean): void {
  const type = (attributes >>> 16) & types;
  const isTyped = type === 0 || type === (isFolder ? folderType : fileType);
  const isPlain = (attributes & volumeLabel) === 0 && (isFolder || (attributes & folderBit) === 0);
  if (!isTyped || !isPlain) throw fail('bundle_special_entry', `'${shown(path)}' is neither a plain file nor a folder`);
}

/** Returns the size of an entry with its header, without a data descriptor after its content. Fails if the header contradicts the directory. */
export function assertAgrees({ path, raw }: BundleEntry, local: LocalFileHeader): void {
  if (!local.fileName.equals(raw.fileNameRaw)) throw fail('bundle_header_mismatch', `'${shown(path)}' has another name before its content`);
  if ((local.generalPurposeBitFlag & encrypted) !== 0) throw fail('bundle_encrypted', `'${shown(path)}' is encrypted`);
  const later = hasDescriptor(raw);
  const pairs = [
    [local.compressionMethod, raw.compressionMethod],
    [local.generalPurposeBitFlag & (descriptor | patched), raw.generalPurposeBitFlag & (descriptor | patched)],
    [local.crc32, raw.crc32],
    [local.compressedSize, raw.compressedSize],
    [local.uncompressedSize, raw.uncompressedSize],
  ] as const;
  const differing = pairs.some(([here, there], index) => here !== there && !(later && index > 1 && here === 0));
  if (differing) throw fail('bundle_header_mismatch', `What stands before '${shown(path)}' contradicts the ZIP's directory`);
}

/** Returns whether sizes and checksum follow the content. */
export function hasDescriptor(raw: Entry): boolean {
  return (raw.generalPurposeBitFlag & descriptor) !== 0;
}
