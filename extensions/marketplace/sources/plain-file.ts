import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { fail } from './codes.js';

/** Opens a regular file for reading: no links, and nothing that blocks, such as a pipe. */
export async function openPlain(path: string, name: string): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (cause: NodeJS.ErrnoException) => {
      throw fail('source_unavailable', `${name} can't be read (${cause.code ?? 'unknown'})`, { cause });
    },
  );
  try {
    if ((await handle.stat()).isFile()) return handle;
    throw fail('source_invalid', `${name} is not a regular file`);
  } catch (fault) {
    await handle.close();
    throw fault;
  }
}

/** Reads a small file; undefined if it doesn't exist. */
export async function readSmall(path: string, { name, max }: { name: string; max: number }): Promise<Buffer | undefined> {
  const handle = await openPlain(path, name).catch((fault: Error) => {
    if ((fault.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return undefined;
    throw fault;
  });
  if (handle === undefined) return undefined;
  try {
    const pieces: Buffer[] = [];
    for await (const piece of counted(handle, { name, max })) pieces.push(piece);
    return Buffer.concat(pieces);
  } finally {
    await handle.close();
  }
}

/** Yields a file's content with a limit, because the file may grow meanwhile. */
export async function* counted(handle: FileHandle, { name, max }: { name: string; max: number }): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafe(64 * 1024);
  let bytes = 0;
  for (;;) {
    const { bytesRead } = await handle.read(piece, 0, piece.length, bytes);
    if (bytesRead === 0) return;
    bytes += bytesRead;
    if (bytes > max) throw fail('source_too_large', `${name} has more than ${max} bytes`);
    yield Buffer.from(piece.subarray(0, bytesRead));
  }
}
