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
import { wordsOf } from '../host/reserved.js';
import { type InstalledRow, type InstalledStore, isPlugin } from './installed-store.js';
import type { OwnBundles } from './own-bundles.js';
import type { Plugins } from './plugins.js';
import { nameOf, type Shelf } from './shelf.js';

export interface InstallerOptions {
  host: Host;
  store: InstalledStore;
  plugins: Plugins;
  shelf: Shelf;
  bus: Bus;
  instance: string;
  own: OwnBundles;
  /** The folders of the platform's own extensions. */
  builtin: readonly string[];
  /** Whether the folder is this process' own, so that nobody else's work is in it. */
  alone: boolean;
  /** Counts lost processes of plugins. A plugin that a person restarts begins at zero. */
  restarts: { forget(id: string): void };
  /** Removes an extension's settings, in the transaction of its row. */
  forget: (id: string) => Promise<void>;
  /** The members that plugins have of their own. */
  members: { make(id: string): Promise<unknown>; remove(id: string): Promise<void> };
  log: { error(message: string, fields?: object): void };
}

interface Found {
  bundle: Bundle;
  folder: string | undefined;
  builtin: boolean;
  enabled: boolean;
}

/** A change as instances announce it to each other. */
export interface Changed {
  id: string;
  instance: string;
  /** Whether it starts anew although nothing of its row has changed. */
  reload?: boolean;
  /** Whether its files go as well. */
  purge?: boolean;
}

export const changedChannel = 'kernel.extensions';

/**
 * Puts extensions in place and switches them on and off, the platform's own and others alike, and sees to it that what
 * was installed or switched off is so again after a restart. Changes follow one another; none waits for a drain.
 */
export class Installer {
  readonly #options: InstallerOptions;
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: InstallerOptions) {
    this.#options = options;
  }

  /** All that is to be loaded at the start. A folder of the platform's own that can't be read is reported and left out. */
  async found(): Promise<Found[]> {
    const { store, shelf, plugins, own, alone, builtin } = this.#options;
    const rows = new Map((await store.all()).map((row) => [row.id, row]));
    if (alone) {
      const kept = new Map([...rows].map(([id, row]) => [id, isPlugin(row) ? nameOf(row.blob) : row.hash]));
      for (const id of await shelf.sweep(kept)) await store.forgetStorage(id);
    }
    const found = new Map<string, Found>();
    for (const folder of builtin) {
      const bundle = await own.find(folder);
      if (bundle) found.set(bundle.manifest.id, foundAt({ bundle, folder, builtin: true }, rows));
    }
    const taken = wordsOf([...found.values()].map(({ bundle }) => bundle.manifest));
    for (const row of rows.values()) {
      if (!isPlugin(row)) await this.#addOwn(row, found, rows);
      else if (found.has(row.id))
        this.#options.log.error(`The installed extension '${row.id}' is left out: its id belongs to the platform now`);
      else found.set(row.id, foundAt({ ...(await plugins.load(row, taken)), builtin: false }, rows));
    }
    return [...found.values()];
  }

  /** Copies the extension in `folder`, one of the platform's own, and puts it in the place of the version that runs, if any. */
  install(folder: string): Promise<{ id: string; version: string; previous: string | undefined }> {
    return this.#turn(async () => {
      const { host, store, own } = this.#options;
      const source = await own.read(folder);
      const { id, version } = source.manifest;
      const kept = await own.keep(folder, source);
      const bundle = await own.read(kept);
      const before = host.installed(id)?.folder;
      const { previous } = await host.replace(bundle, kept).catch(async (fault: unknown) => {
        if (before !== kept) await rm(kept, { recursive: true, force: true });
        throw fault;
      });
      await store.put({ id, version, hash: source.hash, state: 'enabled', blob: '', permissions: {} });
      await own.removeOthers(id, source.hash);
      return { id, version, previous };
    });
  }

  check(file: string, signal?: AbortSignal): Promise<CheckedBundle> {
    return this.#options.shelf.check(file, signal);
  }

  /** Installs a third party's bundle from its ZIP. */
  async installPlugin(request: InstallRequest): Promise<Installation> {
    const { host, plugins, members, log } = this.#options;
    return this.#turn(async () => {
      const installation = await plugins.install(request);
      if (!installation.changed) return installation;
      this.#options.restarts.forget(installation.id);
      // Otherwise it is made when it is first needed.
      await members
        .make(installation.id)
        .catch((err: unknown) => log.error(`The member of '${installation.id}' could not be made`, { err }));
      await this.#announce({ id: installation.id });
      this.#tidyLater(installation.id, host.ended(installation.id));
      return installation;
    });
  }

  /** Removes a third party's extension. */
  async uninstall(id: string, { purge = false }: { purge?: boolean | undefined } = {}): Promise<Released> {
    const { plugins, members, store, forget } = this.#options;
    const { released } = await this.#turn(async () => {
      const removal = await plugins.uninstall(id, { purge, forget: () => forget(id) });
      await this.#announce({ id, purge });
      return removal;
    });
    const receipt = await released;
    await this.#turn(async () => {
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
    return this.#turn(async () => {
      const { restarts, store, plugins, host } = this.#options;
      restarts.forget(id);
      const row = await store.find(id);
      // Its settings may have changed since.
      if (!row && host.installed(id)?.bundle.plugin) throw fail('plugin_not_found', `Extension '${id}' was removed meanwhile`);
      if (row && isPlugin(row) && !host.running.has(id)) await plugins.follow(row);
      else await host.enable(id);
      await this.#remember(id, 'enabled');
    });
  }

  disable(id: string): Promise<void> {
    const { host } = this.#options;
    return this.#turn(async () => {
      await host.disable(id);
      await this.#remember(id, 'disabled');
    });
  }

  /** Reads the extension again from where it was loaded, and starts it anew. */
  reload(id: string): Promise<void> {
    return this.#turn(async () => {
      this.#options.restarts.forget(id);
      await this.#reloadHere(id);
      await this.#announce({ id, reload: true });
    });
  }

  /** The settings of a third party's extension. */
  settings(id: string): Promise<ShownSettings> {
    return this.#options.plugins.shown(id);
  }

  /** Changes them, and starts it anew. */
  configure(id: string, config: Readonly<Record<string, unknown>>): Promise<ShownSettings> {
    return this.#turn(async () => {
      const { plugins, restarts } = this.#options;
      const shown = await plugins.configure(id, config);
      restarts.forget(id);
      await this.#announce({ id, reload: true });
      return shown;
    });
  }

  /** Brings this instance to what the row of an extension says. */
  converge({ id, reload = false, purge = false }: Pick<Changed, 'id' | 'reload' | 'purge'>): Promise<void> {
    return this.#turn(async () => {
      const { host, store, plugins } = this.#options;
      const [row, here] = [await store.find(id), host.installed(id)];
      // It was removed here as well meanwhile.
      if (!row && !here) return;
      if (!row && here?.bundle.plugin) {
        await host.remove(id);
        this.#tidyLater(id, host.ended(id), purge);
      } else if (row?.state === 'disabled') {
        if (here?.enabled) await host.disable(id);
      } else if (row && isPlugin(row)) {
        if (!reload && this.#holds(row) && host.running.has(id) && !(await plugins.reset([id])).has(id)) return;
        await plugins.follow(row);
        this.#tidyLater(id, host.ended(id));
      } else if (!host.running.has(id)) {
        await host.enable(id);
      } else if (reload) {
        await this.#reloadHere(id);
      }
    });
  }

  /** The ids of what differs here from what the rows say. */
  async differing(): Promise<string[]> {
    const { host, store, plugins } = this.#options;
    const rows = new Map((await store.all()).map((row) => [row.id, row]));
    // One that is off gets its settings when it is switched on.
    const on = [...rows.values()].filter((row) => isPlugin(row) && row.state === 'enabled');
    const reset = await plugins.reset(on.map(({ id }) => id));
    const gone = [...host.catalog.extensions.keys()].filter((id) => host.installed(id)?.bundle.plugin && !rows.has(id));
    const changed = [...rows.values()].filter((row) => reset.has(row.id) || this.#differs(row)).map(({ id }) => id);
    return [...gone, ...changed];
  }

  /** Waits for the change under way; what would be tidied up later is left to the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue;
  }

  #differs(row: InstalledRow): boolean {
    const here = this.#options.host.installed(row.id);
    const isOn = row.state === 'enabled';
    // Each instance runs its own copy of the platform's extensions.
    if (!isPlugin(row)) return here !== undefined && here.enabled !== isOn;
    return here === undefined ? isOn : !this.#holds(row) || here.enabled !== isOn;
  }

  /** Whether what lies here is the row's: ZIPs with the same hash of their programs may differ in other files. */
  #holds({ id, hash, blob }: InstalledRow): boolean {
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
    // Only the platform's own may have no row. Another instance has removed it.
    if (!before && host.installed(id)?.bundle.plugin) throw fail('plugin_not_found', `Extension '${id}' was removed meanwhile`);
    const version = host.installed(id)?.bundle.manifest.version ?? '';
    await store.put({ version, hash: '', blob: '', permissions: {}, ...before, id, state });
    await this.#announce({ id });
  }

  async #announce(change: Omit<Changed, 'instance'>): Promise<void> {
    const { bus, instance, log } = this.#options;
    const told = bus.publish(changedChannel, { ...change, instance } satisfies Changed);
    // It has happened, whether the others hear of it now or when they look for themselves; a start anew without any change is all
    // that they don't see.
    await told.catch((err: unknown) => log.error(`The change of extension '${change.id}' could not be told to other instances`, { err }));
  }

  /** A version that still ends may read in its folder. */
  #tidyLater(id: string, ended: Promise<unknown>, purge = false): void {
    const tidy = async () => {
      await ended;
      if (!this.#closed) await this.#turn(() => this.#options.plugins.tidy(id, purge));
    };
    tidy().catch((err: unknown) => this.#options.log.error(`What is left of extension '${id}' could not be removed`, { err }));
  }

  #turn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #addOwn(row: InstalledRow, found: Map<string, Found>, rows: ReadonlyMap<string, InstalledRow>): Promise<void> {
    const { own } = this.#options;
    const folder = own.folderOf(row.id, row.hash);
    const bundle = row.hash === '' ? undefined : await own.find(folder);
    const brought = found.get(row.id);
    if (!bundle || (brought && semver.gt(brought.bundle.manifest.version, bundle.manifest.version))) return;
    found.set(row.id, foundAt({ bundle, folder, builtin: brought !== undefined }, rows));
  }
}

function foundAt(at: Omit<Found, 'enabled'>, rows: ReadonlyMap<string, InstalledRow>): Found {
  return { ...at, enabled: rows.get(at.bundle.manifest.id)?.state !== 'disabled' };
}
