import { randomBytes } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemReason } from '../kernel/client/system-reason.js';
import { UsageError } from './exit.js';
import type { Terminal } from './terminal.js';

/** Options for reading a file. */
export interface Reading {
  terminal: Terminal;
  max_bytes: number;
  /** Hint for the person if the file can't be read. */
  hint?: string | undefined;
}

/** Reads a file whole; `-` is standard input. */
export async function readInputFile(path: string, { terminal, max_bytes, hint }: Reading): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of await openInput(path, terminal, hint)) {
    bytes += piece.length;
    if (bytes > max_bytes) throw new UsageError(`'${path}' has more than ${max_bytes} bytes`, hint);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Passes the path of a regular file: standard input and pipes are copied to a temporary file until the work is done. */
export async function withRegularFile<T>(path: string, reading: Reading, work: (file: string) => Promise<T>): Promise<T> {
  if (path !== '-' && isRegular(await stat(path).catch(() => undefined))) return work(path);
  const folder = await mkdtemp(join(tmpdir(), 'platform-input-'));
  try {
    const file = join(folder, randomBytes(4).toString('hex'));
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(await readInputFile(path, reading));
    } finally {
      await handle.close();
    }
    return await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns true for a missing path too: the work reports it best. */
function isRegular(found: Stats | undefined): boolean {
  return found === undefined || found.isFile() || found.isDirectory();
}

/** Opens a file, a pipe or, for `-`, standard input. */
export async function openInput(path: string, { stdin }: Terminal, hint?: string): Promise<AsyncIterable<Buffer>> {
  if (path === '-') {
    if (stdin.isTTY) throw new UsageError('Standard input is the terminal', 'pipe the file in, as in: … < file');
    return stdin as AsyncIterable<Buffer>;
  }
  const found = await stat(path).catch((fault: unknown) => {
    throw unreadable(path, fault, hint);
  });
  if (found.isDirectory()) throw unreadable(path, { code: 'EISDIR' }, hint);
  return chunksOf(path, hint);
}

async function* chunksOf(path: string, hint: string | undefined): AsyncGenerator<Buffer> {
  try {
    for await (const piece of createReadStream(path)) yield piece as Buffer;
  } catch (fault) {
    throw typeof (fault as NodeJS.ErrnoException).code === 'string' ? unreadable(path, fault, hint) : fault;
  }
}

function unreadable(path: string, fault: unknown, hint: string | undefined): UsageError {
  return new UsageError(`'${path}' can't be read: ${systemReason(fault)}`, hint);
}

/** The `file` of an upload's input. */
interface SentFile {
  name: string;
  bytes: Uint8Array;
}

/** Above the limit of any server. */
const max_bytes = 256 * 1024 * 1024;

/** Reads the file of an upload; `-` is standard input. */
export async function readSentFile(path: string, terminal: Terminal): Promise<SentFile> {
  const bytes = await readInputFile(path, { terminal, max_bytes, hint: 'name a file to send' });
  return { name: path === '-' ? 'stdin' : path, bytes };
}
