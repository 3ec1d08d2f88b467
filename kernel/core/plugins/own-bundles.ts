import { readdirSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bundle, loadBundle, usual_main } from '../host/loader.js';
import { readManifest } from '../host/manifest.js';

/** Reads the extension in `folder`: manifest and bundle side by side, as a replacement under load waits for each read. */
export async function readBundle(folder: string): Promise<Bundle> {
  const usual = readFile(join(folder, usual_main)).catch(() => undefined);
  const manifest = await readManifest(folder);
  return loadBundle(folder, manifest, manifest.main === usual_main ? await usual : undefined);
}

export interface OwnBundlesOptions {
  /** Where copies are kept, each as `<id>/<hash>`. */
  folder: string;
  log: { error(message: string, fields?: object): void };
}

/** The folders of the platform's own extensions, and the copies that were installed in their place. */
export class OwnBundles {
  readonly #options: OwnBundlesOptions;

  constructor(options: OwnBundlesOptions) {
    this.#options = options;
  }

  async read(folder: string): Promise<Bundle> {
    return readBundle(folder);
  }

  /** Reports what can't be read, and gives nothing for it. */
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

  /** Copies a bundle's folder to one named by its content; whole or not at all. */
  async keep(folder: string, { manifest, hash }: Bundle): Promise<string> {
    const kept = this.folderOf(manifest.id, hash);
    const aside = `${kept}.new`;
    await mkdir(join(this.#options.folder, manifest.id), { recursive: true, mode: 0o700 });
    await rm(aside, { recursive: true, force: true });
    await cp(folder, aside, { recursive: true, dereference: false });
    await rm(kept, { recursive: true, force: true });
    await rename(aside, kept);
    return kept;
  }

  async removeOthers(id: string, hash: string): Promise<void> {
    const parent = join(this.#options.folder, id);
    const others = (await readdir(parent)).filter((name) => name !== hash);
    for (const name of others) await rm(join(parent, name), { recursive: true, force: true });
  }
}

/** The folders of the extensions that the platform brings with it. */
export function ownExtensions(): string[] {
  const folder = fileURLToPath(new URL('../../../extensions/', import.meta.url));
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name));
}
