import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { CheckedBundle, InstalledSkill } from '../../contract/installation.js';
import { fail } from '../host/codes.js';
import { isReserved } from '../host/reserved-ids.js';
import { type Plugin, readPlugin } from './plugin.js';
import { removeTree } from './remove-tree.js';

/** Reads bundles; `kernel/platform/bundles` implements it. */
export interface BundleReader {
  check(file: string, rules: BundleRules): Promise<CheckedBundle>;
  /** Unpacks into a new folder, atomically. */
  unpack(file: string, folder: string, rules: BundleRules): Promise<CheckedBundle>;
  /** Returns the text of an unpacked skill. */
  skill(folder: string): Promise<Omit<InstalledSkill, 'id' | 'version' | 'content_hash' | 'folder'>>;
  /** Removes an unpacked folder. */
  remove(folder: string): Promise<void>;
}

export interface BundleRules {
  /** First words of names that belong to the platform. */
  builtin: readonly string[];
  content_hash?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Whether it is installed already: rules that may be newer than it do not apply. */
  installed?: boolean | undefined;
}

export interface BundleFoldersOptions {
  /** Parent of the unpacked bundles, each in `<folder>/<id>/<hex of the ZIP's hash>`. */
  folder: string;
  /** Data folder with the files of each extension. */
  data_dir: string;
  reader: BundleReader;
  blobs: { get(hash: string): Promise<Buffer | undefined> };
  builtin: () => readonly string[];
}

/** Subfolders that can't collide with an id, because no id begins with a dot. */
const incoming = '.incoming';
const purging = '.purging';

/** Folders with the unpacked plugins and skills of this instance. */
export class BundleFolders {
  readonly #options: BundleFoldersOptions;

  constructor(options: BundleFoldersOptions) {
    this.#options = options;
  }

  check(file: string, signal?: AbortSignal): Promise<CheckedBundle> {
    return this.#options.reader.check(file, { builtin: this.#options.builtin(), signal });
  }

  /** Returns the content of a stored ZIP. */
  checkBlob(blob: string): Promise<CheckedBundle> {
    const { reader, builtin } = this.#options;
    return this.#withFile(blob, (file) => reader.check(file, { builtin: builtin(), content_hash: blob }));
  }

  /** Returns the plugin of a ZIP. Unpacks it if it is missing or its files no longer match `hash`, that of {@link Plugin}. */
  async ensureUnpacked(id: string, blob: string, hash?: string): Promise<Plugin> {
    assertFree(id, this.#options.builtin());
    const folder = this.#folderOf(id, blob);
    const existing = await readPlugin(folder).catch(() => undefined);
    if (existing && existing.manifest.id === id && (hash === undefined || existing.hash === hash)) return existing;
    const { reader, builtin } = this.#options;
    await reader.remove(folder);
    await mkdir(join(this.#options.folder, id), { recursive: true, mode: 0o700 });
    await this.#withFile(blob, (file) => reader.unpack(file, folder, { builtin: builtin(), content_hash: blob, installed: true }));
    const plugin = await readPlugin(folder);
    if (plugin.manifest.id !== id || (hash !== undefined && plugin.hash !== hash)) {
      await reader.remove(folder);
      throw fail('extension_failed', `The bundle of extension '${id}' is not the one that was installed`);
    }
    return plugin;
  }

  /** Returns the skill in an unpacked folder. */
  async skill(folder: string): Promise<Omit<InstalledSkill, 'id' | 'version'>> {
    return { content_hash: `sha256:${basename(folder)}`, folder, ...(await this.#options.reader.skill(folder)) };
  }

  /** Removes the unpacked folders of an extension, except that of the ZIP `keep`. */
  async clear(id: string, keep?: string): Promise<void> {
    const parent = join(this.#options.folder, id);
    const keptName = keep && nameOf(keep);
    for (const name of await list(parent)) if (name !== keptName) await this.#options.reader.remove(join(parent, name));
    if (keep === undefined) await rm(parent, { recursive: true, force: true });
  }

  /** Records a purge before the removal starts, so that it survives a crash. */
  async announcePurge(id: string): Promise<void> {
    await mkdir(join(this.#options.folder, purging), { recursive: true, mode: 0o700 });
    await writeFile(join(this.#options.folder, purging, id), '');
  }

  async purge(id: string): Promise<void> {
    await removeTree(join(this.#options.data_dir, 'files', id));
    await this.forgetPurge(id);
  }

  async forgetPurge(id: string): Promise<void> {
    await rm(join(this.#options.folder, purging, id), { force: true });
  }

  /**
   * Removes the unfinished work of a crashed process and completes purges. `installed` maps ids to the names of their current folders.
   * Returns the purged ids. Call it before the first installation.
   */
  async sweep(installed: ReadonlyMap<string, string>): Promise<string[]> {
    const { folder, reader } = this.#options;
    await rm(join(folder, incoming), { recursive: true, force: true });
    const announced = await list(join(folder, purging));
    for (const id of announced) await (installed.has(id) ? this.forgetPurge(id) : this.purge(id));
    for (const id of (await list(folder)).filter((name) => !name.startsWith('.'))) {
      for (const name of await list(join(folder, id))) {
        if (name !== installed.get(id)) await reader.remove(join(folder, id, name));
      }
      if (!installed.has(id)) await rm(join(folder, id), { recursive: true, force: true });
    }
    return announced.filter((id) => !installed.has(id));
  }

  async #withFile<T>(blob: string, work: (file: string) => Promise<T>): Promise<T> {
    const bytes = await this.#options.blobs.get(blob);
    if (!bytes) throw fail('bundle_not_found', `There is no bundle ${blob} in the store`);
    const folder = join(this.#options.folder, incoming);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${randomUUID()}.zip`);
    try {
      await writeFile(file, bytes, { mode: 0o600 });
      return await work(file);
    } finally {
      await rm(file, { force: true });
    }
  }

  #folderOf(id: string, blob: string): string {
    return join(this.#options.folder, id, nameOf(blob));
  }
}

/** Fails with `id_reserved` if the platform has reserved a plugin's name since its installation: it stays installed but doesn't run. */
export function assertFree(id: string, taken: readonly string[]): void {
  if (!isReserved(id, taken)) return;
  throw fail(
    'id_reserved',
    `The id '${id}' can't be used: names that begin with '${id.split('.', 1)[0]}' belong to the platform. Uninstall it (its data stays) and ask its publisher for another id`,
  );
}

/** Returns the folder name of a ZIP. */
export function nameOf(blob: string): string {
  return blob.replace(/^sha256:/, '');
}

async function list(folder: string): Promise<string[]> {
  return readdir(folder).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT' || fault.code === 'ENOTDIR') return [];
    throw fault;
  });
}
