import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Disposable } from '../../contract/extension.js';
import { shellWord } from '../../contract/shell-word.js';
import { codeOf, failData, reasonOf } from './failures.js';

export interface FolderOptions {
  path: string;
  /** Keep every other process out: with SQLite, whose file has one program. */
  lock: boolean;
}

/** The data folder, made if it wasn't there. Its disposal lets the next one in. */
export interface Folder extends Disposable {
  readonly path: string;
  /** Writes this process's id to `platform.pid`; the lock has done so already. */
  claimPid(): Promise<void>;
}

/** Fails with `data_dir_unwritable`, or `data_dir_locked`, which names the process that has it. */
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

/** A file is really written: what the mode says is not the whole truth (read-only mounts, full disks, ACLs). */
async function prepare(path: string): Promise<void> {
  const probe = join(path, `.probe-${randomUUID()}`);
  try {
    await make(path);
    await writeFile(probe, '');
    await rm(probe);
  } catch (cause) {
    throw failData('data_dir_unwritable', `The data folder ${path} can't be written: ${reasonOf(cause)}`, {
      cause,
      fix: writable(path, codeOf(cause)),
    });
  }
}

function writable(path: string, code: string): string {
  const word = shellWord(path);
  const mends: Readonly<Record<string, string>> = {
    EROFS: `let it be written with: sudo mount -o remount,rw "$(df --output=target ${word} | tail -1)"`,
    EACCES: `make it yours with: sudo mkdir -p ${word} && sudo chown -R "$(id -u)" ${word}`,
    ENOTDIR: `see which file is in the way with: namei -l ${word}`,
    EEXIST: `see which file is in the way with: namei -l ${word}`,
    ENOSPC: `see what takes the room with: df -h ${word}; df -i ${word}`,
  };
  const other = 'take a folder that you may write with: platform serve --data-dir "$HOME/platform"';
  return [mends[code], other].filter((mend) => mend !== undefined).join('; or ');
}

/** Not `recursive`: Node's own never ends where a file system (`/proc`) takes no folders. */
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
  // Written when the lock is taken.
  const since = (await stat(pid_file).catch(() => undefined))?.mtime.toISOString();
  const message = `The data folder ${path} is in use by process ${pid ?? '(unknown)'}`;
  const other = 'use another folder with: --data-dir <folder>';
  const fix = pid === undefined ? `wait until that process has ended, or ${other}` : `end it with: kill ${pid}; or ${other}`;
  return failData('data_dir_locked', message, { cause, since, fix });
}

async function readPid(pid_file: string): Promise<string | undefined> {
  const text = await readFile(pid_file, 'utf8').catch(() => '');
  return /^\d+$/.test(text.trim()) ? text.trim() : undefined;
}
