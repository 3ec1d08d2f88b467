import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command } from './command.js';
import { Spool } from './spool.js';
import { outside, type ProcessEnd, WalledProcess } from './walled-process.js';
import type { Containment } from './walls/containment.js';
import type { WalledProgram } from './walls/isolation.js';

/** A program of the platform that reads one file behind walls, writes its answer to file descriptor 3, and ends. */
export interface FileProgram extends WalledProgram {
  /** Name for accounts and trust. No extension may have it. */
  name: string;
  /** Limit of its heap, in MB. */
  memory_mb: number;
  /** Limit of its memory beside the heap, in MB. */
  beside_heap_mb: number;
}

export interface FileProgramOptions {
  walls: Containment;
  data_dir: string;
  /** Arguments between the file and the descriptors to close. */
  arguments?: readonly string[];
  /** Takes bytes of the answer. Returns false to kill the process. */
  take: (piece: Buffer) => boolean;
  /** Called with each line of its standard error, which may quote the file. */
  stderr: (line: string) => void;
  signal: AbortSignal;
  /** Limit of the time from the start of the process; then it is killed. */
  limit_ms: number;
}

/** The end of a program, and whether it was killed because its time was up. */
export interface FileProgramEnd extends ProcessEnd {
  is_late: boolean;
}

/**
 * Runs a program on one file in a process of its own. Fails with the signal's reason, and if the walls or the process can't be set up.
 */
export async function runOnFile(program: FileProgram, bytes: Uint8Array, options: FileProgramOptions): Promise<FileProgramEnd> {
  const spool = await Spool.open();
  try {
    const file = join(spool.folder, 'file');
    await writeFile(file, bytes);
    // The process may run as another user; the folder's mode keeps out others.
    await chmod(file, 0o444);
    const isolated = await isolate(program, spool, options);
    try {
      options.signal.throwIfAborted();
      return await outside(() => runIn(isolated.command, file, options));
    } finally {
      await isolated.dispose();
    }
  } finally {
    await spool.dispose();
  }
}

/** Returns how a process ended: `with exit code 7` or `by SIGKILL`. */
export function howEnded({ code, signal }: ProcessEnd): string {
  return signal === null ? `with exit code ${code}` : `by ${signal}`;
}

async function isolate(program: FileProgram, spool: Spool, { walls, data_dir }: FileProgramOptions) {
  const { name, memory_mb, beside_heap_mb } = program;
  // The process's user owns it, as a plugin owns its folder; nothing is written to it.
  const files = join(data_dir, 'files', name);
  await mkdir(files, { recursive: true, mode: 0o700 });
  const folder = dirname(program.main);
  return walls.isolate(name, { folder, files, spool: spool.folder, program, memory_mb, beside_heap_mb, trusted: false });
}

async function runIn(command: Command, file: string, { take, stderr, signal, limit_ms, ...options }: FileProgramOptions) {
  const process = new WalledProcess({
    command,
    arguments: (inherited) => [file, ...(options.arguments ?? []), ...inherited.map(String)],
    stdout: () => undefined,
    stderr,
  });
  let is_late = false;
  const kill = () => process.kill();
  const timer = setTimeout(() => {
    is_late = true;
    kill();
  }, limit_ms);
  signal.addEventListener('abort', kill, { once: true });
  process.pipe.on('data', (piece: Buffer) => {
    if (!take(piece)) kill();
  });
  process.pipe.on('error', kill);
  try {
    const closed = new Promise((resolve) => process.pipe.once('close', resolve));
    const [end] = await Promise.all([process.ended, closed]);
    signal.throwIfAborted();
    return { ...end, is_late };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
  }
}
