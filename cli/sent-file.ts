import { readFile } from 'node:fs/promises';
import { UsageError } from './exit.js';

/** The input's `file` of an upload. */
export interface SentFile {
  name: string;
  bytes: Uint8Array;
}

/** Reads the file that an upload sends. */
export async function readSentFile(path: string): Promise<SentFile> {
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`'${path}' can't be read: ${reasons[cause.code ?? ''] ?? cause.message}`, 'name a file to send');
  });
  return { name: path, bytes };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
};
