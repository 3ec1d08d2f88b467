import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, type FileHandle, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemReason } from '../kernel/client/system-reason.js';
import { OutputFailed, ReaderLeft, UsageError } from './exit.js';
import type { Terminal } from './terminal.js';

/** Target for a file: standard output, a regular file, or something else that can be written, such as a pipe or a device. */
export type Destination = { kind: 'output' } | { kind: 'file'; path: string; mode: number | undefined } | { kind: 'special'; path: string };

/** Receives the bytes of a file in chunks. */
export interface Sink {
  write(bytes: Uint8Array): Promise<void>;
}

export interface Writing {
  terminal: Terminal;
  signal: AbortSignal;
  /** The mode of a new file. Default: 0666 without the process's umask. */
  mode?: number;
}

/** Names of standard output. */
const standardOutput = new Set(['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']);
const reader_poll_ms = 50;
const max_links = 40;
const another = 'choose another place with: --out <file>';

/** Resolves what `--out` names, before any work is done. */
export async function destinationOf(out: string): Promise<Destination> {
  if (standardOutput.has(out)) return { kind: 'output' };
  const path = await linkTarget(resolve(out));
  const found = await stat(path).catch(ignoreMissing);
  if (found?.isDirectory()) throw new UsageError(`'${out}' is a folder`, 'name a file with: --out <file>');
  if (found !== undefined) return found.isFile() ? { kind: 'file', path, mode: found.mode & 0o777 } : { kind: 'special', path };
  const folder = await stat(dirname(path)).catch(ignoreMissing);
  // The target of a link lies in a folder that the typed path doesn't name.
  const missing = path === resolve(out) ? dirname(out) : dirname(path);
  if (!folder?.isDirectory())
    throw new UsageError(`There is no folder '${missing}'`, 'create it, or choose another place with: --out <file>');
  return { kind: 'file', path, mode: undefined };
}

/** Returns whether `out` names a folder; the file then keeps its own name. */
export async function isFolder(out: string): Promise<boolean> {
  if (standardOutput.has(out)) return false;
  return (await stat(out).catch(ignoreMissing))?.isDirectory() === true;
}

/** Writes a file. A regular file is replaced only once the new one is complete; a link stays, and its target is written. */
export async function writeTo(destination: Destination, writing: Writing, work: (sink: Sink) => Promise<void>): Promise<void> {
  if (destination.kind === 'output') return work({ write: (bytes) => writeOut(bytes, writing.terminal) });
  if (destination.kind === 'special') return writeSpecial(destination.path, writing.signal, work);
  return replaceFile(destination, writing, work);
}

async function replaceFile(
  target: { path: string; mode: number | undefined },
  writing: Writing,
  work: (sink: Sink) => Promise<void>,
): Promise<void> {
  const { path, mode } = target;
  const draft = `${path}.${randomBytes(4).toString('hex')}.part`;
  const file = await open(draft, 'wx', mode ?? writing.mode ?? 0o666).catch((fault: NodeJS.ErrnoException) => {
    // A file can be writable although its folder is not.
    if (mode === undefined || !readOnlyFolder.has(fault.code ?? '')) return unwritable(path)(fault);
    return undefined;
  });
  if (file === undefined) return writeInPlace(path, work);
  try {
    if (mode !== undefined) await file.chmod(mode);
    await work(sinkOf(file, path));
    await file.sync().catch(unwritable(path));
    await file.close();
    // A single file mounted into a container can't be replaced.
    await rename(draft, path).catch((fault: NodeJS.ErrnoException) =>
      fault.code === 'EBUSY' ? copyFile(draft, path) : unwritable(path)(fault),
    );
  } finally {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
  }
}

const readOnlyFolder = new Set(['EACCES', 'EPERM', 'EROFS']);

async function writeInPlace(path: string, work: (sink: Sink) => Promise<void>): Promise<void> {
  const file = await open(path, 'w').catch(unwritable(path));
  try {
    await work(sinkOf(file, path));
    await file.sync().catch(unwritable(path));
  } finally {
    await file.close();
  }
}

async function writeSpecial(path: string, signal: AbortSignal, work: (sink: Sink) => Promise<void>): Promise<void> {
  const file = await openSpecial(path, signal);
  try {
    await work(sinkOf(file, path));
  } finally {
    await file.close().catch(() => undefined);
  }
}

/** Waits for a pipe's reader by polling: a blocking open could not be interrupted. */
async function openSpecial(path: string, signal: AbortSignal): Promise<FileHandle> {
  for (;;) {
    const probe = await open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch((fault: NodeJS.ErrnoException) => {
      if (fault.code !== 'ENXIO') return unwritable(path)(fault);
      return undefined;
    });
    if (probe !== undefined) {
      try {
        return await open(path, constants.O_WRONLY).catch(unwritable(path));
      } finally {
        await probe.close();
      }
    }
    await sleep(reader_poll_ms, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
}

function sinkOf(file: FileHandle, path: string): Sink {
  return { write: (bytes) => file.writeFile(bytes).catch(unwritable(path)) };
}

async function writeOut(bytes: Uint8Array, { stdout }: Terminal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stdout.write(bytes, (fault) => (fault ? reject(fault) : resolve()));
  }).catch((fault: NodeJS.ErrnoException) => {
    throw fault.code === 'EPIPE' ? new ReaderLeft() : new OutputFailed('The output', fault);
  });
}

function unwritable(path: string): (fault: unknown) => never {
  return (fault) => {
    throw new OutputFailed(`'${path}'`, fault);
  };
}

/** Follows links to their target, even if it doesn't exist yet. */
async function linkTarget(path: string): Promise<string> {
  let target = path;
  for (let links = 0; links < max_links; links += 1) {
    const found = await stat(target).catch(ignoreMissing);
    // An open descriptor (/dev/fd/3) has no path of its own.
    if (found !== undefined) return found.isFile() ? realpath(target).catch(() => target) : target;
    const next = await readlink(target).catch(() => undefined);
    if (next === undefined) return target;
    target = resolve(dirname(target), next);
  }
  throw new UsageError(`'${path}' can't be written: ${systemReason({ code: 'ELOOP' })}`, another);
}

function ignoreMissing(fault: NodeJS.ErrnoException): undefined {
  if (fault.code === 'ENOENT' || fault.code === 'ENOTDIR') return undefined;
  throw new UsageError(`'${fault.path ?? ''}' can't be written: ${systemReason(fault)}`, another);
}
