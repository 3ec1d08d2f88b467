import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { UsageError } from '../exit.js';

/** An image to send with a message, as `chat.send` takes it. */
export interface Attachment {
  /** Data URL. Its media type is neutral, because the server detects the type from the bytes. */
  url: string;
  /** Name of the file. */
  name: string;
}

/** Limit of the server for all images of a message together. One that is too large is refused before it is read. */
const max_bytes = 20 * 1024 * 1024;

/** Reads an image file. Fails with a {@link UsageError} if it is missing, not a file, or too large. */
export async function readAttachment(path: string): Promise<Attachment> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw new UsageError(`'${path}' can't be read: ${cause.code === 'ENOENT' ? 'there is no such file' : cause.message}`);
  });
  if (!found.isFile()) throw new UsageError(`'${path}' is not a file`);
  if (found.size > max_bytes) throw new UsageError(`'${path}' has ${found.size} bytes; an image may have at most ${max_bytes}`);
  const bytes = await readFile(path);
  return { url: `data:application/octet-stream;base64,${bytes.toString('base64')}`, name: basename(path) };
}
