import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { basename, join, posix, sep } from 'node:path';
import { size } from '../../kernel/client/size.js';
import type { ExportedFile } from './types.js';
import type { ExportZip } from './zip.js';

/** Limit of a file of a message. */
const max_file_bytes = 50 * 1024 * 1024;

/** Finds the files of messages by their paths in the export. */
export interface Attachments {
  file(path: string): ExportedFile;
}

/** Returns the reason why a file of so many bytes can't be imported; otherwise its size. */
export function importable(bytes: number): number | string {
  if (bytes === 0) return 'it is empty';
  return bytes > max_file_bytes ? `it has ${size(bytes)}, and the limit is ${size(max_file_bytes)}` : bytes;
}

/** Finds files in the folder `data` beside an export, and nowhere else: paths of an export may lead anywhere. */
export function attachmentsBeside(folder: string): Attachments {
  const root = join(folder, 'data');
  return {
    file(path) {
      const at = inside(path);
      return {
        name: basename(path) || 'file',
        size: async () => (at === undefined ? 'its path leads out of the folder' : ((await sizeBelow(root, at)) ?? 'it is missing')),
        bytes: () => readBelow(root, at ?? ''),
      };
    },
  };
}

/** Finds files in the folder `data` of a ZIP. */
export function attachmentsIn(zip: ExportZip): Attachments {
  return {
    file(path) {
      const at = inside(path);
      const entry = at === undefined ? undefined : zip.entries.get(`data/${at}`);
      return {
        name: posix.basename(path) || 'file',
        size: async () => (entry === undefined ? 'it is missing' : importable(entry.bytes)),
        bytes: async () => (entry === undefined ? Buffer.alloc(0) : zip.read(entry, max_file_bytes)),
      };
    },
  };
}

/** Returns a path below the folder `data`; undefined if it leads elsewhere. */
function inside(path: string): string | undefined {
  const plain = posix.normalize(path.replaceAll('\\', '/')).replace(/^data\//, '');
  const leaves = plain === '.' || plain === '..' || plain.startsWith('../') || plain.startsWith('/') || plain.includes('\0');
  return leaves ? undefined : plain.normalize('NFC');
}

async function sizeBelow(root: string, path: string): Promise<number | string | undefined> {
  const file = await openBelow(root, path);
  if (!file) return undefined;
  try {
    const found = await file.stat();
    return found.isFile() ? importable(found.size) : 'it is no regular file';
  } finally {
    await file.close();
  }
}

async function readBelow(root: string, path: string): Promise<Buffer> {
  const file = await openBelow(root, path);
  if (!file) return Buffer.alloc(0);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Opens a file below a folder, also if a symbolic link within it is on the way; undefined if it is missing or elsewhere. */
async function openBelow(root: string, path: string) {
  try {
    const [base, real] = await Promise.all([realpath(root), realpath(join(root, path))]);
    if (!real.startsWith(base + sep)) return undefined;
    return await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
}
