import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { chmod, copyFile, link, lstat, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInUse, run_mark } from './in-use.js';

/** `platform-plugin-<process>-<its pid namespace>-<random>`: in another namespace the number is another process's. */
const shape = /^platform-plugin-(\d+)-(\d+)-\w+$/;

/** A folder that a plugin's process may read and not write: uploads lie there while a call needs them. */
export class Spool {
  readonly folder: string;

  /** A new one, without those that killed processes have left. */
  static async open(): Promise<Spool> {
    const namespace = pidNamespace();
    await sweep(tmpdir(), namespace);
    return new Spool(await realpath(await mkdtemp(join(tmpdir(), `platform-plugin-${process.pid}-${namespace}-${run_mark}`))));
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Runs `work` with the input's file where the plugin can read it, and only for so long. */
  async lend<T>(input: object, work: (input: object) => Promise<T>): Promise<T> {
    const { file } = input as { file?: { path?: unknown } };
    if (typeof file?.path !== 'string') return work(input);
    const path = join(this.folder, randomUUID());
    try {
      // Without moving its bytes, where it lies on the same file system.
      await link(file.path, path).catch(() => copyFile(file.path as string, path));
      // Its process may be another user's; the folder keeps out whoever else.
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
    const [, pid, its] = shape.exec(name) ?? [];
    const path = join(parent, name);
    if (its !== namespace || !(await isOwnFolder(path)) || isInUse(name, Number(pid))) continue;
    await rm(path, { recursive: true, force: true });
  }
}

/** Everybody may make things in a folder for temporary files. */
async function isOwnFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}

/** The same where there is but one. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return '0';
  }
}
