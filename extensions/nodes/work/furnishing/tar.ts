import { open } from 'node:fs/promises';
import { fail } from '../../../../kernel/contract/index.js';
import type { FurnishedFile } from '../../contract.js';

const block = 512;
/** Maximum length of a name in a header; longer names precede it, as in GNU tar. */
const max_name_length = 100;
const read_bytes = 64 * 1024;
/** Modification time of all files, in seconds: bundles have no times. The start of 2000, because some programs treat 1970 as missing. */
const written_at = 946_684_800;
const shebang = Buffer.from('#!');

/**
 * Writes a tar archive in GNU format, which every `tar` reads: BusyBox ignores names in POSIX headers, which other
 * writers use for long names and those that are not ASCII.
 *
 * @throws `not_found` if a file is gone, `internal_error` if its size differs from the expected one
 */
export async function* tarOf(files: readonly FurnishedFile[]): AsyncGenerator<Buffer> {
  for (const file of files) yield* entryOf(file);
  yield Buffer.alloc(2 * block);
}

/** Folder with the user and group id of its owner. */
export interface FolderEntry {
  /** At most 99 bytes. */
  path: string;
  mode: number;
  uid: number;
}

/** Writes a tar archive of folders only. */
export function tarOfFolders(folders: readonly FolderEntry[]): Buffer {
  const headers = folders.map(({ path, mode, uid }) => headerOf({ name: Buffer.from(`${path}/`), bytes: 0, mode, type: '5', uid }));
  return Buffer.concat([...headers, Buffer.alloc(2 * block)]);
}

async function* entryOf({ path, bytes, from, executable }: FurnishedFile): AsyncGenerator<Buffer> {
  const name = Buffer.from(path);
  if (name.length > max_name_length) {
    const long = Buffer.concat([name, Buffer.alloc(1)]);
    yield headerOf({ name: Buffer.from('././@LongLink'), bytes: long.length, mode: 0o644, type: 'L' });
    yield padded(long);
  }
  const file = await open(from, 'r').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause;
    throw fail('not_found', `'${path}' was just removed or replaced; try again`, { cause });
  });
  try {
    const start = Buffer.alloc(shebang.length);
    await file.read(start, 0, start.length, 0);
    const mode = executable || start.equals(shebang) ? 0o755 : 0o644;
    yield headerOf({ name: name.subarray(0, max_name_length), bytes, mode, type: '0' });
    let done = 0;
    while (done < bytes) {
      const piece = Buffer.alloc(Math.min(read_bytes, bytes - done));
      const { bytesRead } = await file.read(piece, 0, piece.length, done);
      if (bytesRead === 0) throw fail('internal_error', `'${path}' has ${done} bytes, not ${bytes}`);
      done += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
    yield Buffer.alloc(paddingOf(bytes));
  } finally {
    await file.close();
  }
}

interface Header {
  name: Buffer;
  bytes: number;
  mode: number;
  /** `0`: a file. `5`: a folder. `L`: the name of the next entry. */
  type: '0' | '5' | 'L';
  /** User and group id. Default 0. */
  uid?: number;
}

function headerOf({ name, bytes, mode, type, uid = 0 }: Header): Buffer {
  const header = Buffer.alloc(block);
  const octal = (value: number, [at, length]: readonly [number, number]) => {
    const digits = value.toString(8);
    // GNU tar writes numbers that don't fit in base 256, marked by the first bit.
    if (digits.length < length) header.write(`${digits.padStart(length - 1, '0')}\0`, at, 'latin1');
    else base256(header.subarray(at, at + length), value);
  };
  name.copy(header, 0);
  octal(mode, [100, 8]);
  octal(uid, [108, 8]);
  octal(uid, [116, 8]);
  octal(bytes, [124, 12]);
  octal(written_at, [136, 12]);
  header.write('        ', 148, 'latin1');
  header.write(type, 156, 'latin1');
  header.write('ustar  \0', 257, 'latin1');
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc(paddingOf(content.length))]);
}

function paddingOf(bytes: number): number {
  return (block - (bytes % block)) % block;
}

function base256(field: Buffer, value: number): void {
  field.writeUInt8(0x80, 0);
  field.writeUInt32BE(value, field.length - 4);
}
