import { randomBytes } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemReason, UsageError } from './exit.js';
import type { Terminal } from './terminal.js';

/** Limits of a file that is read, and the hint if it can't be. */
export interface Reading {
  terminal: Terminal;
  max_bytes: number;
  /** A hint for the person. */
  hint?: string | undefined;
}

/** Reads a file whole; `-` is standard input. */
export async function readGiven(path: string, { terminal, max_bytes, hint }: Reading): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of await openGiven(path, terminal, hint)) {
    bytes += piece.length;
    if (bytes > max_bytes) throw new UsageError(`'${path}' has more than ${max_bytes} bytes`, hint);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Gives the path of a file that can be read in any order: standard input and pipes are stored in a file until the work is done. */
export async function withRegularFile<T>(path: string, reading: Reading, work: (file: string) => Promise<T>): Promise<T> {
  if (path !== '-' && isRegular(await stat(path).catch(() => undefined))) return work(path);
  const folder = await mkdtemp(join(tmpdir(), 'platform-input-'));
  try {
    const file = join(folder, randomBytes(4).toString('hex'));
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(await readGiven(path, reading));
    } finally {
      await handle.close();
    }
    return await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A path that isn't there is left to the work, which knows best what to say. */
function isRegular(found: Stats | undefined): boolean {
  return found === undefined || found.isFile() || found.isDirectory();
}

/** The bytes of a file, a pipe or, for `-`, standard input. */
export async function openGiven(path: string, { stdin }: Terminal, hint?: string): Promise<AsyncIterable<Buffer>> {
  if (path === '-') {
    if (stdin.isTTY) throw new UsageError('Standard input is the terminal', 'pipe the file in, as in: … < file');
    return stdin as AsyncIterable<Buffer>;
  }
  const found = await stat(path).catch((fault: unknown) => {
    throw unreadable(path, fault, hint);
  });
  if (found.isDirectory()) throw unreadable(path, { code: 'EISDIR' }, hint);
  return reading(path, hint);
}

async function* reading(path: string, hint: string | undefined): AsyncGenerator<Buffer> {
  try {
    for await (const piece of createReadStream(path)) yield piece as Buffer;
  } catch (fault) {
    throw typeof (fault as NodeJS.ErrnoException).code === 'string' ? unreadable(path, fault, hint) : fault;
  }
}

function unreadable(path: string, fault: unknown, hint: string | undefined): UsageError {
  return new UsageError(`'${path}' can't be read: ${systemReason(fault)}`, hint);
}

/** The input's `file` of an upload. */
interface SentFile {
  name: string;
  bytes: Uint8Array;
}

/** More than any server takes. */
const max_bytes = 256 * 1024 * 1024;

/** Reads the file that an upload sends; `-` is standard input. */
export async function readSentFile(path: string, terminal: Terminal): Promise<SentFile> {
  const bytes = await readGiven(path, { terminal, max_bytes, hint: 'name a file to send' });
  return { name: path === '-' ? 'stdin' : path, bytes };
}
