import { isUtf8 } from 'node:buffer';
import { posix } from 'node:path';
import { fail } from '../../codes.js';
import type { CommandRunner } from '../command-runner.js';
import { accountOf, type NodeUser } from '../folders.js';
import type { NodeContainer } from '../node-container.js';
import { type Entry, entriesOf } from './listing.js';
import * as scripts from './scripts.js';

/** Where a file operation runs, and for whom. */
export interface FileUse {
  place: NodeContainer;
  nodeUser: NodeUser;
  signal: AbortSignal;
}

export interface ReadInput {
  /** Relative to the working folder, or absolute. */
  path: string;
  unit: 'lines' | 'bytes';
  /** Start of the range, counted from 1. */
  offset: number;
  limit: number;
}

export interface ReadFile {
  /** Undefined if it isn't text. */
  text: string | undefined;
  /** Size of the whole file in bytes. */
  size: number;
  /** Whether the text ends early, at the limit of 256 KiB. */
  cut: boolean;
}

export interface Listing {
  entries: Entry[];
  /** Whether there are more. */
  truncated: boolean;
}

/** Limits in bytes, of entries in a list, and of the time in ms. */
const max_read = 256 * 1024;
export const max_written = 1024 * 1024;
export const max_entries = 1_000;
const timeout_ms = 30_000;

/** Reads, writes and lists files in containers by scripts that run as the member, in its AI employee's working folder. */
export class Files {
  readonly #execs: Pick<CommandRunner, 'runFor'>;

  constructor(execs: Pick<CommandRunner, 'runFor'>) {
    this.#execs = execs;
  }

  /** Reads at most 256 KiB. Fails with `path_not_found` if there is no such readable file. */
  async read(use: FileUse, { path, unit, offset, limit }: ReadInput): Promise<ReadFile> {
    const script = unit === 'lines' ? scripts.read : scripts.read_bytes;
    const max = unit === 'lines' ? max_read : Math.min(limit, max_read);
    const { line, rest } = await this.#run(use, {
      script,
      path,
      args: [String(offset), String(limit), String(max + 1)],
      max: max + 256,
    });
    const size = /^file (\d+)$/.exec(line.trim())?.[1];
    if (size === undefined) throw notFound(path, line);
    const bytes = rest.subarray(0, max);
    return { text: textOf(bytes), size: Number(size), cut: rest.length > max };
  }

  /** Writes at most 1 MiB. `mode`: octal digits; default: that of the existing file, otherwise 644. */
  async write(use: FileUse, { path, content, mode = '' }: { path: string; content: Buffer; mode?: string | undefined }): Promise<void> {
    const { line } = await this.#run(use, {
      script: scripts.write,
      path,
      args: [String(content.length), mode],
      stdin: content,
      max: 4_096,
    });
    if (line !== 'written') throw notFound(path, line);
  }

  /** Lists at most 1,000 entries, at most three folders deep. */
  async list(use: FileUse, { path, depth }: { path: string; depth: number }): Promise<Listing> {
    const { line, rest, absolute } = await this.#run(use, { script: scripts.list, path, args: [String(depth)] });
    if (line !== 'folder') throw notFound(path, line);
    const entries = entriesOf(rest.toString(), absolute);
    return { entries: entries.slice(0, max_entries), truncated: entries.length > max_entries };
  }

  async #run({ place, nodeUser, signal }: FileUse, { script, path, args, stdin, max }: Task): Promise<Found> {
    const folder = accountOf(nodeUser).home;
    const absolute = posix.resolve(folder, path);
    const parts: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
    const command = {
      argv: ['/bin/sh', '-c', script, 'file', absolute, ...args],
      folder,
      timeout_ms,
      ...(stdin ? { stdin } : {}),
      ...(max === undefined ? {} : { max_bytes: max }),
    };
    const watch = { signal, output: ({ stream, bytes }: { stream: 'stdout' | 'stderr'; bytes: Buffer }) => void parts[stream].push(bytes) };
    const { exit_code, how } = await this.#execs.runFor(nodeUser, place, { command, watch });
    signal.throwIfAborted();
    if (how !== 'exit') throw fail('command_failed', `'${shortened(path)}' took longer than ${timeout_ms / 1000} s`);
    const stdout = Buffer.concat(parts.stdout);
    const end = stdout.indexOf('\n');
    if (exit_code !== 0 || end === -1) throw refused(path, Buffer.concat(parts.stderr).toString());
    return { line: stdout.subarray(0, end).toString(), rest: stdout.subarray(end + 1), absolute };
  }
}

interface Task {
  script: string;
  path: string;
  args: readonly string[];
  stdin?: Buffer;
  max?: number;
}

interface Found {
  /** Result that the script printed for the path. */
  line: string;
  rest: Buffer;
  absolute: string;
}

const reasons: Readonly<Record<string, string>> = {
  absent: 'does not exist',
  folder: 'is a folder',
  file: 'is a file, not a folder',
  special: 'is neither a file nor a folder',
  denied: 'is not readable by you',
};

function notFound(path: string, line: string) {
  return fail('path_not_found', `'${shortened(path)}' ${reasons[line.trim()] ?? 'could not be used'}`);
}

function refused(path: string, words: string) {
  const why = words.trim().slice(-300);
  return fail('command_failed', `'${shortened(path)}' could not be used${why === '' ? '' : `: ${why}`}`);
}

function shortened(path: string): string {
  return path.slice(0, 200);
}

/** Decodes a piece, which may begin and end within a character. */
function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  for (let start = 0; start < Math.min(4, bytes.length + 1); start += 1)
    for (let end = bytes.length; end >= Math.max(start, bytes.length - 3); end -= 1)
      if (isUtf8(bytes.subarray(start, end))) return bytes.toString('utf8', start, end);
  return undefined;
}
