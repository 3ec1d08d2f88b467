import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { chmod, copyFile, link, lstat, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInUse, run_mark } from './in-use.js';

/** Pattern `platform-plugin-<pid>-<pid namespace>-<random>`: in another namespace the PID is another process. */
const name_pattern = /^platform-plugin-(\d+)-(\d+)-\w+$/;

/** A read-only folder for a plugin's process, with the uploads of its current calls. */
export class Spool {
  readonly folder: string;

  /** Creates a spool, and removes those of killed processes. */
  static async open(): Promise<Spool> {
    const namespace = pidNamespace();
    await sweep(tmpdir(), namespace);
    return new Spool(await realpath(await mkdtemp(join(tmpdir(), `platform-plugin-${process.pid}-${namespace}-${run_mark}`))));
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes the input's file readable for the plugin during `work`. */
  async share<T>(input: object, work: (input: object) => Promise<T>): Promise<T> {
    const { file } = input as { file?: { path?: unknown } };
    if (typeof file?.path !== 'string') return work(input);
    const path = join(this.folder, randomUUID());
    try {
      // A hard link if it is on the same file system, otherwise a copy.
      await link(file.path, path).catch(() => copyFile(file.path as string, path));
      // The process may run as another user; the folder's mode keeps out others.
      await chmod(path, 0o444);
      return await work({ ...input, file: { ...file, path } });
    } finally {
      await rm(path, { force: true });
    }
  }

  async dispose(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function sweep(parent: string, namespace: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const [, pid, folderNamespace] = name_pattern.exec(name) ?? [];
    const path = join(parent, name);
    if (folderNamespace !== namespace || !(await isOwnFolder(path)) || isInUse(name, Number(pid))) continue;
    await rm(path, { recursive: true, force: true });
  }
}

/** Returns whether a path is a folder of our own: anybody can create entries in the temporary folder. */
async function isOwnFolder(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isDirectory() === true && stats.uid === process.getuid?.();
}

/** Returns the id of the pid namespace; a constant on systems without namespaces. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return '0';
  }
}
