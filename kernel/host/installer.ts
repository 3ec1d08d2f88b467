import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import semver from 'semver';
import type { Bus } from '../contract/journal.js';
import { fail } from './codes.js';
import type { Host } from './host.js';
import type { InstalledRow, InstalledStore } from './installed-store.js';
import { type Bundle, loadBundle } from './loader.js';
import { readManifest } from './manifest.js';

export interface InstallerOptions {
  host: Host;
  store: InstalledStore;
  bus: Bus;
  instance: string;
  /** Where installed bundles are kept, each in a folder named by its content. */
  folder: string;
  /** The folders of the platform's own extensions. */
  builtin: readonly string[];
  log: { error(message: string, fields?: object): void };
}

interface Found {
  bundle: Bundle;
  folder: string | undefined;
  builtin: boolean;
  enabled: boolean;
}

const changedChannel = 'kernel.extensions';

/**
 * Puts extensions in place and switches them on and off, the platform's own and others alike, and sees
 * to it that what was installed or switched off is so again after a restart.
 */
export class Installer {
  readonly #options: InstallerOptions;

  constructor(options: InstallerOptions) {
    this.#options = options;
  }

  /** All that is to be loaded at the start. A folder that can't be read is reported and left out. */
  async found(): Promise<Found[]> {
    const rows = new Map((await this.#options.store.all()).map((row) => [row.id, row]));
    const found = new Map<string, Found>();
    for (const folder of this.#options.builtin) {
      const bundle = await this.#read(folder);
      if (bundle) found.set(bundle.manifest.id, this.#foundAt({ bundle, folder, builtin: true }, rows));
    }
    for (const row of rows.values()) {
      const folder = join(this.#options.folder, row.id, row.hash);
      const bundle = row.hash === '' ? undefined : await this.#read(folder);
      const own = found.get(row.id);
      if (!bundle || (own && semver.gt(own.bundle.manifest.version, bundle.manifest.version))) continue;
      found.set(row.id, this.#foundAt({ bundle, folder, builtin: own !== undefined }, rows));
    }
    return [...found.values()];
  }

  /** Copies the extension in `folder` and puts it in the place of the version that runs, if any. */
  async install(folder: string): Promise<{ id: string; version: string; previous: string | undefined }> {
    const source = await loadBundle(folder, await readManifest(folder));
    const { id, version } = source.manifest;
    const kept = await this.#keep(folder, source);
    const bundle = await loadBundle(kept, await readManifest(kept));
    const before = this.#options.host.installed(id)?.folder;
    const { previous } = await this.#options.host.replace(bundle, kept).catch(async (fault: unknown) => {
      if (before !== kept) await rm(kept, { recursive: true, force: true });
      throw fault;
    });
    await this.#options.store.put({ id, version, hash: source.hash, state: 'enabled' });
    await this.#removeOthers(id, source.hash);
    return { id, version, previous };
  }

  async enable(id: string): Promise<void> {
    await this.#options.host.enable(id);
    await this.#remember(id, 'enabled');
  }

  async disable(id: string): Promise<void> {
    await this.#options.host.disable(id);
    await this.#remember(id, 'disabled');
  }

  /** Reads the extension again from where it was loaded. */
  async reload(id: string): Promise<void> {
    await this.#reloadHere(id);
    await this.#announce(id, true);
  }

  async #reloadHere(id: string): Promise<void> {
    const { host } = this.#options;
    const installed = host.installed(id);
    if (!installed) throw fail('plugin_not_found', `There is no extension '${id}'`);
    const { folder } = installed;
    const bundle = folder === undefined ? installed.bundle : await loadBundle(folder, await readManifest(folder));
    await host.replace(bundle, folder);
  }

  /** Follows what other instances change. Gives a function that ends it. */
  follow(): Promise<() => Promise<void>> {
    return this.#options.bus.subscribe(changedChannel, (message: { id: string; instance: string; reload: boolean }) => {
      if (message.instance === this.#options.instance) return;
      this.#converge(message).catch((fault: unknown) => {
        this.#options.log.error(`Extension '${message.id}' could not follow the change on another instance`, { err: fault });
      });
    });
  }

  async #converge({ id, reload }: { id: string; reload: boolean }): Promise<void> {
    const { host, store } = this.#options;
    const row = (await store.all()).find((each) => each.id === id);
    if (row?.state === 'disabled') return void (await host.disable(id));
    if (!host.running.has(id)) return host.enable(id);
    if (reload) await this.#reloadHere(id);
  }

  async #remember(id: string, state: InstalledRow['state']): Promise<void> {
    const { host, store } = this.#options;
    const before = (await store.all()).find((row) => row.id === id);
    const version = host.installed(id)?.bundle.manifest.version ?? '';
    await store.put({ id, version, hash: before?.hash ?? '', state });
    await this.#announce(id, false);
  }

  async #announce(id: string, reload: boolean): Promise<void> {
    const { bus, instance } = this.#options;
    await bus.publish(changedChannel, { id, instance, reload });
  }

  #foundAt(at: Omit<Found, 'enabled'>, rows: ReadonlyMap<string, InstalledRow>): Found {
    return { ...at, enabled: rows.get(at.bundle.manifest.id)?.state !== 'disabled' };
  }

  async #read(folder: string): Promise<Bundle | undefined> {
    try {
      return await loadBundle(folder, await readManifest(folder));
    } catch (fault) {
      this.#options.log.error(`The extension in ${folder} can't be read`, { err: fault });
      return undefined;
    }
  }

  /** Copies a bundle's folder to one named by its content; whole or not at all. */
  async #keep(folder: string, { manifest, hash }: Bundle): Promise<string> {
    const kept = join(this.#options.folder, manifest.id, hash);
    const aside = `${kept}.new`;
    await mkdir(join(this.#options.folder, manifest.id), { recursive: true, mode: 0o700 });
    await rm(aside, { recursive: true, force: true });
    await cp(folder, aside, { recursive: true, dereference: false });
    await rm(kept, { recursive: true, force: true });
    await rename(aside, kept);
    return kept;
  }

  async #removeOthers(id: string, hash: string): Promise<void> {
    const parent = join(this.#options.folder, id);
    const others = (await readdir(parent)).filter((name) => name !== hash);
    for (const name of others) await rm(join(parent, name), { recursive: true, force: true });
  }
}
