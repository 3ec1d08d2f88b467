import { readdirSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bundle, default_main, loadBundle } from '../host/loader.js';
import { readManifest } from '../host/manifest.js';

/** Reads the extension in `folder`. Manifest and bundle are read in parallel, because a replacement under load waits for each read. */
export async function readBundle(folder: string): Promise<Bundle> {
  const bytes = readFile(join(folder, default_main)).catch(() => undefined);
  const manifest = await readManifest(folder);
  return loadBundle(folder, manifest, manifest.main === default_main ? await bytes : undefined);
}

export interface OwnBundlesOptions {
  /** Folder of the copies, each in `<id>/<hash>`. */
  folder: string;
  log: { error(message: string, fields?: object): void };
}

/** Built-in extensions and the copies installed in their place. */
export class OwnBundles {
  readonly #options: OwnBundlesOptions;

  constructor(options: OwnBundlesOptions) {
    this.#options = options;
  }

  async read(folder: string): Promise<Bundle> {
    return readBundle(folder);
  }

  /** Reads a bundle; logs an error and returns undefined if it can't be read. */
  async find(folder: string): Promise<Bundle | undefined> {
    try {
      return await this.read(folder);
    } catch (fault) {
      this.#options.log.error(`The extension in ${folder} can't be read`, { err: fault });
      return undefined;
    }
  }

  folderOf(id: string, hash: string): string {
    return join(this.#options.folder, id, hash);
  }

  /** Copies a bundle's folder atomically to one named by its hash; returns the copy. */
  async copy(folder: string, { manifest, hash }: Bundle): Promise<string> {
    const copy = this.folderOf(manifest.id, hash);
    const partial = `${copy}.new`;
    await mkdir(join(this.#options.folder, manifest.id), { recursive: true, mode: 0o700 });
    await rm(partial, { recursive: true, force: true });
    await cp(folder, partial, { recursive: true, dereference: false });
    await rm(copy, { recursive: true, force: true });
    await rename(partial, copy);
    return copy;
  }

  async removeOthers(id: string, hash: string): Promise<void> {
    const parent = join(this.#options.folder, id);
    const others = (await readdir(parent)).filter((name) => name !== hash);
    for (const name of others) await rm(join(parent, name), { recursive: true, force: true });
  }
}

/** Returns the folders of the built-in extensions. */
export function ownExtensions(): string[] {
  const folder = fileURLToPath(new URL('../../../extensions/', import.meta.url));
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name));
}
