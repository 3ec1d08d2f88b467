import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { UsageError } from '../exit.js';

/** An image that goes with a message. What it is the platform finds out from its bytes. */
export interface Attachment {
  url: string;
  name: string;
}

/** The platform takes no more. */
const max_bytes = 20 * 1024 * 1024;

export async function readAttachment(path: string): Promise<Attachment> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`'${path}' can't be read: ${cause.code === 'ENOENT' ? 'there is no such file' : cause.message}`);
  });
  if (!found.isFile()) throw new UsageError(`'${path}' is no file`);
  if (found.size > max_bytes) throw new UsageError(`'${path}' has ${found.size} bytes; an image may have ${max_bytes}`);
  const bytes = await readFile(path);
  return { url: `data:application/octet-stream;base64,${bytes.toString('base64')}`, name: basename(path) };
}
