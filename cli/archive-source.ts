import { randomBytes } from 'node:crypto';
import { open, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isGzip } from '../kernel/platform/backup/foreign-file.js';
import { openFolder } from '../kernel/platform/data/folder.js';
import { OutputFailed, UsageError } from './exit.js';
import { openInput } from './file-source.js';
import type { Terminal } from './terminal.js';

export interface ArchiveSource {
  /** `-` is standard input. */
  path: string;
  /** Stores a temporary copy if one is needed. */
  data_dir: string;
  terminal: Terminal;
  signal: AbortSignal;
}

/**
 * Passes the path of an archive that can be read twice: it is checked before anything is restored. Standard input, pipes and
 * gzip-compressed archives are copied into the data folder first, and the copy is removed after the work.
 */
export async function withArchive<T>(source: ArchiveSource, work: (file: string) => Promise<T>): Promise<T> {
  const { path, data_dir } = source;
  if (await isPlainFile(path)) return work(path);
  const isNewFolder = (await stat(data_dir).catch(() => undefined)) === undefined;
  await (await openFolder({ path: data_dir, lock: false })).dispose();
  const file = join(data_dir, `restore-${randomBytes(4).toString('hex')}.part`);
  let isDone = false;
  try {
    await store(file, source);
    const done = await work(file);
    isDone = true;
    return done;
  } finally {
    await rm(file, { force: true });
    if (isNewFolder && !isDone) await rmdir(data_dir).catch(() => undefined);
  }
}

/** Returns true for a missing path too: the work reports it. */
async function isPlainFile(path: string): Promise<boolean> {
  if (path === '-') return false;
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return true;
  if (!found.isFile()) return false;
  const handle = await open(path, 'r').catch(() => undefined);
  if (handle === undefined) return false;
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return !isGzip(buffer);
  } finally {
    await handle.close();
  }
}

async function store(file: string, { path, terminal, signal }: ArchiveSource): Promise<void> {
  const pieces = decompressed(await openInput(path, terminal, 'name an archive written by: platform backup'), path);
  const handle = await open(file, 'wx', 0o600);
  try {
    for await (const piece of pieces) {
      signal.throwIfAborted();
      await handle.writeFile(piece).catch((fault: unknown) => {
        throw new OutputFailed(`The copy of the archive in ${file}`, fault);
      });
    }
  } finally {
    await handle.close();
  }
}

/** Yields the same bytes, decompressed if they are gzip. */
async function* decompressed(pieces: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  const source = pieces[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let isOver = false;
  while (head.length < 2 && !isOver) {
    const { value, done } = await source.next();
    isOver = done === true;
    if (!isOver) head = Buffer.concat([head, value as Buffer]);
  }
  const all = prepend(head, source);
  if (!isGzip(head)) yield* all;
  else yield* gunzip(all, path);
}

async function* prepend(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  yield* { [Symbol.asyncIterator]: () => rest };
}

async function* gunzip(pieces: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  const gunzipStream = createGunzip();
  pipeline(Readable.from(pieces), gunzipStream, () => undefined);
  try {
    for await (const piece of gunzipStream) yield piece as Buffer;
  } catch (fault) {
    const { code = '', message } = fault as NodeJS.ErrnoException;
    throw code.startsWith('Z_') ? new UsageError(`'${path}' is truncated or damaged: ${message}`) : fault;
  }
}
