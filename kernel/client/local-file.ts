import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { fail } from '../contract/failure.js';
import { systemReason } from './system-reason.js';
import { harmless } from './terminal-text.js';

/** A file of this machine, as an upload sends it. */
export interface LocalFile {
  /** Without its folder and without control characters. */
  name: string;
  bytes: Buffer;
}

/** Checks a file that is to be sent, without reading it. Fails with `invalid_input` if it is missing, empty, too large or no regular file. */
export async function checkLocalFile(path: string, max_bytes: number): Promise<{ name: string; bytes: number }> {
  const found = await stat(path).catch(unreadable(path));
  assertSendable(path, found, max_bytes);
  return { name: localName(path), bytes: found.size };
}

/** Reads a file to send. Fails as {@link checkLocalFile} does. */
export async function readLocalFile(path: string, max_bytes: number): Promise<LocalFile> {
  await checkLocalFile(path, max_bytes);
  // A pipe that has replaced the file since must not block.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(unreadable(path));
  try {
    assertSendable(path, await file.stat(), max_bytes);
    const bytes = await readUpTo(file, max_bytes + 1).catch(unreadable(path));
    assertSize(path, bytes.length, max_bytes);
    return { name: localName(path), bytes };
  } finally {
    await file.close();
  }
}

/** Returns the path that a person means: `~/` is the home folder. */
export function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
}

/** Returns the name that a file is sent with. */
export function localName(path: string): string {
  return oneLine(basename(path)).trim() || 'file';
}

/** Fails with `invalid_input` if the size of a file can't be sent. */
export function assertSize(path: string, bytes: number, max_bytes: number): void {
  if (bytes === 0) throw unsendable(path, 'it is empty');
  if (bytes > max_bytes) throw unsendable(path, `it has ${bytes} bytes, and the limit is ${max_bytes}`);
}

function assertSendable(path: string, found: Stats, max_bytes: number): void {
  if (found.isDirectory()) throw unsendable(path, 'it is a folder');
  if (!found.isFile()) throw unsendable(path, 'it is not a regular file');
  assertSize(path, found.size, max_bytes);
}

/** Reads to a limit, because a file may grow meanwhile. */
async function readUpTo(file: FileHandle, limit: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of file.createReadStream({ end: limit - 1, autoClose: false })) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function unreadable(path: string): (fault: unknown) => never {
  return (fault) => {
    throw fail('invalid_input', `'${oneLine(path)}' can't be read: ${systemReason(fault)}`, { cause: fault });
  };
}

function unsendable(path: string, reason: string) {
  return fail('invalid_input', `'${oneLine(path)}' can't be sent: ${reason}`);
}

/** Returns a path as one line: a file may be named like a message of the program. */
function oneLine(path: string): string {
  return harmless(path.replace(/\s+/g, ' '));
}
