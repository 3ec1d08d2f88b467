import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Disposable } from '../../contract/extension.js';
import { shellWord } from '../../contract/shell-word.js';
import { codeOf, failData, reasonOf } from './failures.js';

export interface FolderOptions {
  path: string;
  /** Whether to lock out other processes: with SQLite, which one program uses. */
  lock: boolean;
}

/** The data folder, created if missing. Disposal releases its lock. */
export interface Folder extends Disposable {
  readonly path: string;
  /** Writes this process's id to `platform.pid`; taking the lock has done so already. */
  claimPid(): Promise<void>;
}

/** Opens the data folder. Fails with `data_dir_unwritable`, or with `data_dir_locked`, which names the process that has it. */
export async function openFolder(options: FolderOptions): Promise<Folder> {
  const path = resolve(options.path);
  await prepare(path);
  const pid_file = join(path, 'platform.pid');
  const release = options.lock ? await takeLock(path, pid_file) : undefined;
  const claimPid = () => writeFile(pid_file, `${process.pid}\n`);
  if (release) await claimPid();
  return {
    path,
    claimPid,
    async dispose() {
      if ((await readPid(pid_file)) === String(process.pid)) await rm(pid_file, { force: true });
      await release?.();
    },
  };
}

/** Checks that the folder is writable by writing a file, because modes don't show read-only mounts, full disks and ACLs. */
async function prepare(path: string): Promise<void> {
  const probe = join(path, `.probe-${randomUUID()}`);
  try {
    await make(path);
    await writeFile(probe, '');
    await rm(probe);
  } catch (cause) {
    throw failData('data_dir_unwritable', `The data folder ${path} can't be written: ${reasonOf(cause)}`, {
      cause,
      fix: fixFor(path, codeOf(cause)),
    });
  }
}

function fixFor(path: string, code: string): string {
  const word = shellWord(path);
  const fixes: Readonly<Record<string, string>> = {
    EROFS: `make it writable with: sudo mount -o remount,rw "$(df --output=target ${word} | tail -1)"`,
    EACCES: `become its owner with: sudo mkdir -p ${word} && sudo chown -R "$(id -u)" ${word}`,
    ENOTDIR: `see which file is in the way with: namei -l ${word}`,
    EEXIST: `see which file is in the way with: namei -l ${word}`,
    ENOSPC: `see what uses the space with: df -h ${word}; df -i ${word}`,
  };
  const other = 'use a folder that you may write to: platform serve --data-dir "$HOME/platform"';
  return [fixes[code], other].filter((fix) => fix !== undefined).join('; or ');
}

/** Creates a folder and its parents. Node's `recursive` option never returns on file systems that reject folders (`/proc`). */
async function make(path: string, parents = true): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (codeOf(error) !== 'ENOENT' || !parents || dirname(path) === path) throw error;
    await make(dirname(path));
    await make(path, false);
  }
}

async function takeLock(path: string, pid_file: string): Promise<() => Promise<void>> {
  const { holdFile } = await import('./sqlite/hold-file.js');
  try {
    return await holdFile(join(path, 'platform.lock'));
  } catch (cause) {
    if (codeOf(cause) !== 'SQLITE_BUSY')
      throw failData('data_dir_unwritable', `The data folder ${path} can't be locked: ${reasonOf(cause)}`, { cause });
    throw await locked(path, pid_file, cause);
  }
}

async function locked(path: string, pid_file: string, cause: unknown): Promise<Error> {
  const pid = await readPid(pid_file);
  // The file is written when the lock is taken.
  const since = (await stat(pid_file).catch(() => undefined))?.mtime.toISOString();
  const message = `The data folder ${path} is in use by process ${pid ?? '(unknown)'}`;
  const other = 'use another folder with: --data-dir <folder>';
  const fix = pid === undefined ? `wait for that process to end, or ${other}` : `end it with: kill ${pid}; or ${other}`;
  return failData('data_dir_locked', message, { cause, since, fix });
}

async function readPid(pid_file: string): Promise<string | undefined> {
  const text = await readFile(pid_file, 'utf8').catch(() => '');
  return /^\d+$/.test(text.trim()) ? text.trim() : undefined;
}
