import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fail } from './codes.js';
import type { BundleEntry } from './entries.js';

const file_mode = 0o444;
const folder_mode = 0o555;

/** Writes a folder under a temporary name, and renames it when it is complete. */
export class Folder {
  readonly #target: string;
  readonly #temporary: string;
  /** Folders created so far, parents first. */
  readonly #folders = new Set<string>();

  /** @throws `folder_exists` */
  static async beside(place: string): Promise<Folder> {
    await assertFree(place);
    const folder = new Folder(resolve(place));
    await mkdir(folder.#temporary, { mode: 0o700 });
    folder.#folders.add(folder.#temporary);
    return folder;
  }

  private constructor(place: string) {
    this.#target = place;
    this.#temporary = join(dirname(place), `.${basename(place)}.${randomBytes(6).toString('hex')}.unpacking`);
  }

  /** Writes one file or creates one folder. Its path must have been checked. */
  async write({ path, isFolder }: BundleEntry, content: AsyncIterable<Buffer>): Promise<void> {
    const names = path.split('/').filter((name) => name !== '');
    const name = isFolder ? undefined : (names.pop() as string);
    const parent = await this.#folder(names);
    if (name === undefined) {
      for await (const _piece of content);
      return;
    }
    // Exclusive, so that no existing file or link is followed or overwritten.
    const file = await open(join(parent, name), 'wx', file_mode);
    try {
      for await (const piece of content) await file.writeFile(piece);
      await file.chmod(file_mode);
    } finally {
      await file.close();
    }
  }

  /** Renames the folder to its final name. */
  async publish(): Promise<void> {
    for (const folder of [...this.#folders].reverse()) await chmod(folder, folder_mode);
    await assertFree(this.#target);
    await rename(this.#temporary, this.#target);
  }

  async discard(): Promise<void> {
    await removeFolder(this.#temporary);
  }

  async #folder(names: readonly string[]): Promise<string> {
    let at = this.#temporary;
    for (const name of names) {
      at = join(at, name);
      if (this.#folders.has(at)) continue;
      await mkdir(at, { mode: 0o700 });
      this.#folders.add(at);
    }
    return at;
  }
}

async function assertFree(place: string): Promise<void> {
  const present = await lstat(place).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'ENOENT') throw fault;
  });
  if (present !== undefined) throw fail('folder_exists', `${place} already exists`);
}

/** Makes a bundle's folder read-only for everybody. */
export async function lockFolder(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    await (entry.isDirectory() ? lockFolder(path) : chmod(path, file_mode));
  }
  await chmod(folder, folder_mode);
}

/** Removes a read-only folder. Ignores a missing one. */
export async function removeFolder(folder: string): Promise<void> {
  await unlock(folder);
  await rm(folder, { recursive: true, force: true });
}

async function unlock(folder: string): Promise<void> {
  try {
    if (!(await lstat(folder)).isDirectory()) return;
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) await unlock(join(folder, entry.name));
    }
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault;
  }
}
