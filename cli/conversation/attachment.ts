import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { UsageError } from '../exit.js';

/** An image sent with a message. The server detects its type from the bytes. */
export interface Attachment {
  url: string;
  name: string;
}

/** Limit of the server. */
const max_bytes = 20 * 1024 * 1024;

export async function readAttachment(path: string): Promise<Attachment> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`'${path}' can't be read: ${cause.code === 'ENOENT' ? 'there is no such file' : cause.message}`);
  });
  if (!found.isFile()) throw new UsageError(`'${path}' is not a file`);
  if (found.size > max_bytes) throw new UsageError(`'${path}' has ${found.size} bytes; an image may have at most ${max_bytes}`);
  const bytes = await readFile(path);
  return { url: `data:application/octet-stream;base64,${bytes.toString('base64')}`, name: basename(path) };
}
