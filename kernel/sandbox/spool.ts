import { randomUUID } from 'node:crypto';
import { chmod, copyFile, link, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that a plugin's process may read and not write: uploads lie there while a call needs them. */
export class Spool {
  readonly folder: string;

  static async open(): Promise<Spool> {
    return new Spool(await realpath(await mkdtemp(join(tmpdir(), 'platform-plugin-'))));
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
