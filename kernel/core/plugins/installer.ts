import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import semver from 'semver';
import type {
  CheckedBundle,
  Installation,
  InstalledExtension,
  InstalledSkill,
  InstallRequest,
  Released,
} from '../../contract/installation.js';
import type { Bus } from '../../contract/journal.js';
import type { ShownSettings } from '../../contract/system.js';
import { fail } from '../host/codes.js';
import type { Host } from '../host/host.js';
import type { Bundle } from '../host/loader.js';
import { reservedWords } from '../host/reserved-ids.js';
import { type BundleFolders, nameOf } from './bundle-folders.js';
import { type InstalledRow, type InstalledStore, isPlugin } from './installed-store.js';
import type { OwnBundles } from './own-bundles.js';
import type { Plugins } from './plugins.js';

export interface InstallerOptions {
  host: Host;
  store: InstalledStore;
  plugins: Plugins;
  folders: BundleFolders;
  bus: Bus;
  instance: string;
  own: OwnBundles;
  /** Folders of the built-in extensions. */
  builtin: readonly string[];
  /** Whether no other process uses the folder of plugins, so that unfinished work in it is stale. */
  alone: boolean;
  /** Resets the count of lost processes after a person restarts a plugin. */
  restarts: { forget(id: string): void };
  /** Deletes an extension's settings, within the transaction of its row. */
  forget: (id: string) => Promise<void>;
  /** Creates and removes the members of plugins. */
  members: { make(id: string): Promise<unknown>; remove(id: string): Promise<void> };
  log: { error(message: string, fields?: object): void };
}

interface Found {
  bundle: Bundle;
  folder: string | undefined;
  builtin: boolean;
  enabled: boolean;
}

/** Announcement of a change to other instances. */
export interface Changed {
  id: string;
  instance: string;
  /** Whether to restart the extension although its row is unchanged. */
  reload?: boolean;
  /** Whether to delete its files too. */
  purge?: boolean;
}

export const changedChannel = 'kernel.extensions';

/**
 * Installs, removes, enables and disables extensions, built-in ones and plugins alike, and persists these changes across restarts.
 * Changes are serialised; none waits for a drain.
 */
export class Installer {
  readonly #options: InstallerOptions;
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: InstallerOptions) {
    this.#options = options;
  }

  /** Returns all extensions to load at the start. A built-in one that can't be read is reported and skipped. */
  async found(): Promise<Found[]> {
    const { store, folders: shelf, plugins, own, alone, builtin } = this.#options;
    const rows = new Map((await store.all()).map((row) => [row.id, row]));
    if (alone) {
      const installed = new Map([...rows].map(([id, row]) => [id, isPlugin(row) ? nameOf(row.blob) : row.hash]));
      for (const id of await shelf.sweep(installed)) await store.deleteOrphanedStorage(id);
    }
    const found = new Map<string, Found>();
    for (const folder of builtin) {
      const bundle = await own.find(folder);
      if (bundle) found.set(bundle.manifest.id, foundAt({ bundle, folder, builtin: true }, rows));
    }
    const taken = reservedWords([...found.values()].map(({ bundle }) => bundle.manifest));
    for (const row of rows.values()) {
      if (!isPlugin(row)) await this.#addOwn(row, found, rows);
      else if (found.has(row.id))
        this.#options.log.error(`The installed extension '${row.id}' is skipped: its id belongs to the platform now`);
      else found.set(row.id, foundAt({ ...(await plugins.load(row, taken)), builtin: false }, rows));
    }
    return [...found.values()];
  }

  /** Copies the built-in extension in `folder` and replaces the running version, if any. */
  install(folder: string): Promise<{ id: string; version: string; previous: string | undefined }> {
    return this.#serialised(async () => {
      const { host, store, own } = this.#options;
      const source = await own.read(folder);
      const { id, version } = source.manifest;
      const copy = await own.copy(folder, source);
      const bundle = await own.read(copy);
      const before = host.installed(id)?.folder;
      const { previous } = await host.replace(bundle, copy).catch(async (fault: unknown) => {
        if (before !== copy) await rm(copy, { recursive: true, force: true });
        throw fault;
      });
      await store.put({ id, version, hash: source.hash, state: 'enabled', blob: '', permissions: {} });
      await own.removeOthers(id, source.hash);
      return { id, version, previous };
    });
  }

  check(file: string, signal?: AbortSignal): Promise<CheckedBundle> {
    return this.#options.folders.check(file, signal);
  }

  /** Installs a plugin or skill from its stored ZIP. */
  async installPlugin(request: InstallRequest): Promise<Installation> {
    const { host, plugins, members, log } = this.#options;
    return this.#serialised(async () => {
      const installation = await plugins.install(request);
      if (!installation.changed) return installation;
      this.#options.restarts.forget(installation.id);
      // If this fails, the member is created at its first use.
      await members
        .make(installation.id)
        .catch((err: unknown) => log.error(`The member of '${installation.id}' could not be created`, { err }));
      await this.#announce({ id: installation.id });
      this.#tidyAfter(installation.id, host.ended(installation.id));
      return installation;
    });
  }

  /** Uninstalls a plugin or skill; with `purge` its data is deleted too. */
  async uninstall(id: string, { purge = false }: { purge?: boolean | undefined } = {}): Promise<Released> {
    const { plugins, members, store, forget } = this.#options;
    const { releasedCounts: released } = await this.#serialised(async () => {
      const removal = await plugins.uninstall(id, { purge, forget: () => forget(id) });
      await this.#announce({ id, purge });
      return removal;
    });
    const receipt = await released;
    await this.#serialised(async () => {
      await plugins.tidy(id, purge);
      if (purge && !(await store.find(id))) await members.remove(id);
    });
    return receipt;
  }

  installed(): Promise<InstalledExtension[]> {
    return this.#options.plugins.installed();
  }

  skill(id: string): Promise<InstalledSkill | undefined> {
    return this.#options.plugins.skill(id);
  }

  enable(id: string): Promise<void> {
    return this.#serialised(async () => {
      const { restarts, store, plugins, host } = this.#options;
      restarts.forget(id);
      const row = await store.find(id);
      // Follow the row instead of starting the loaded bundle, because settings may have changed since.
      if (!row && host.installed(id)?.bundle.plugin) throw fail('plugin_not_found', `Extension '${id}' has been removed`);
      if (row && isPlugin(row) && !host.running.has(id)) await plugins.follow(row);
      else await host.enable(id);
      await this.#remember(id, 'enabled');
    });
  }

  disable(id: string): Promise<void> {
    const { host } = this.#options;
    return this.#serialised(async () => {
      await host.disable(id);
      await this.#remember(id, 'disabled');
    });
  }

  /** Reads the extension again from its folder and restarts it. */
  reload(id: string): Promise<void> {
    return this.#serialised(async () => {
      this.#options.restarts.forget(id);
      await this.#reloadHere(id);
      await this.#announce({ id, reload: true });
    });
  }

  /** Returns the settings of a plugin, without secrets. */
  settings(id: string): Promise<ShownSettings> {
    return this.#options.plugins.publicSettings(id);
  }

  /** Changes the settings of a plugin and restarts it. */
  configure(id: string, config: Readonly<Record<string, unknown>>): Promise<ShownSettings> {
    return this.#serialised(async () => {
      const { plugins, restarts } = this.#options;
      const shown = await plugins.configure(id, config);
      restarts.forget(id);
      await this.#announce({ id, reload: true });
      return shown;
    });
  }

  /** Makes this instance match the row of an extension. */
  converge({ id, reload = false, purge = false }: Pick<Changed, 'id' | 'reload' | 'purge'>): Promise<void> {
    return this.#serialised(async () => {
      const { host, store, plugins } = this.#options;
      const [row, here] = [await store.find(id), host.installed(id)];
      // Already removed here too.
      if (!row && !here) return;
      if (!row && here?.bundle.plugin) {
        await host.remove(id);
        this.#tidyAfter(id, host.ended(id), purge);
      } else if (row?.state === 'disabled') {
        if (here?.enabled) await host.disable(id);
      } else if (row && isPlugin(row)) {
        if (!reload && this.#isSameBundle(row) && host.running.has(id) && !(await plugins.withChangedSettings([id])).has(id)) return;
        await plugins.follow(row);
        this.#tidyAfter(id, host.ended(id));
      } else if (!host.running.has(id)) {
        await host.enable(id);
      } else if (reload) {
        await this.#reloadHere(id);
      }
    });
  }

  /** Returns the ids of extensions whose state here differs from the rows. */
  async differing(): Promise<string[]> {
    const { host, store, plugins } = this.#options;
    const rows = new Map((await store.all()).map((row) => [row.id, row]));
    // A disabled plugin reads its settings when it is enabled.
    const on = [...rows.values()].filter((row) => isPlugin(row) && row.state === 'enabled');
    const reset = await plugins.withChangedSettings(on.map(({ id }) => id));
    const gone = [...host.catalog.extensions.keys()].filter((id) => host.installed(id)?.bundle.plugin && !rows.has(id));
    const changed = [...rows.values()].filter((row) => reset.has(row.id) || this.#differs(row)).map(({ id }) => id);
    return [...gone, ...changed];
  }

  /** Waits for the running change. The next start completes pending clean-up. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue;
  }

  #differs(row: InstalledRow): boolean {
    const here = this.#options.host.installed(row.id);
    const isOn = row.state === 'enabled';
    // Each instance runs its own copy of the built-in extensions, so only the switch is compared.
    if (!isPlugin(row)) return here !== undefined && here.enabled !== isOn;
    return here === undefined ? isOn : !this.#isSameBundle(row) || here.enabled !== isOn;
  }

  /** Returns whether the loaded bundle is the row's. ZIPs with the same program hash may differ in other files. */
  #isSameBundle({ id, hash, blob }: InstalledRow): boolean {
    const here = this.#options.host.installed(id);
    return here?.bundle.hash === hash && (here.folder === undefined || basename(here.folder) === nameOf(blob));
  }

  async #reloadHere(id: string): Promise<void> {
    const { host, store, plugins, own } = this.#options;
    const installed = host.installed(id);
    if (!installed) throw fail('plugin_not_found', `There is no extension '${id}'`);
    const row = installed.bundle.plugin && (await store.find(id));
    if (row) return plugins.follow(row);
    const { folder } = installed;
    const bundle = folder === undefined ? installed.bundle : await own.read(folder);
    await host.replace(bundle, folder);
  }

  async #remember(id: string, state: InstalledRow['state']): Promise<void> {
    const { host, store } = this.#options;
    const before = await store.find(id);
    // Only built-in extensions may lack a row: another instance has removed this plugin.
    if (!before && host.installed(id)?.bundle.plugin) throw fail('plugin_not_found', `Extension '${id}' has been removed`);
    const version = host.installed(id)?.bundle.manifest.version ?? '';
    await store.put({ version, hash: '', blob: '', permissions: {}, ...before, id, state });
    await this.#announce({ id });
  }

  async #announce(change: Omit<Changed, 'instance'>): Promise<void> {
    const { bus, instance, log } = this.#options;
    const published = bus.publish(changedChannel, { ...change, instance } satisfies Changed);
    // Not a failure: the change is stored, and other instances find it when they poll. They only miss a restart without a change.
    await published.catch((err: unknown) => log.error(`Could not announce the change of extension '${change.id}'`, { err }));
  }

  /** Cleans up after a version has stopped, because it may read its folder until then. */
  #tidyAfter(id: string, ended: Promise<unknown>, purge = false): void {
    const tidy = async () => {
      await ended;
      if (!this.#closed) await this.#serialised(() => this.#options.plugins.tidy(id, purge));
    };
    tidy().catch((err: unknown) => this.#options.log.error(`Could not clean up after extension '${id}'`, { err }));
  }

  #serialised<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #addOwn(row: InstalledRow, found: Map<string, Found>, rows: ReadonlyMap<string, InstalledRow>): Promise<void> {
    const { own } = this.#options;
    const folder = own.folderOf(row.id, row.hash);
    const bundle = row.hash === '' ? undefined : await own.find(folder);
    const builtinVersion = found.get(row.id);
    if (!bundle || (builtinVersion && semver.gt(builtinVersion.bundle.manifest.version, bundle.manifest.version))) return;
    found.set(row.id, foundAt({ bundle, folder, builtin: builtinVersion !== undefined }, rows));
  }
}

function foundAt(at: Omit<Found, 'enabled'>, rows: ReadonlyMap<string, InstalledRow>): Found {
  return { ...at, enabled: rows.get(at.bundle.manifest.id)?.state !== 'disabled' };
}
