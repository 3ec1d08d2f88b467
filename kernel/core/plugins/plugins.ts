import type { Fault } from '../../contract/failure.js';
import type { Installation, InstalledExtension, InstalledSkill, InstallRequest, Released } from '../../contract/installation.js';
import type { Manifest, Permissions } from '../../contract/manifest.js';
import type { ShownSettings } from '../../contract/system.js';
import { fail } from '../host/codes.js';
import type { Host } from '../host/host.js';
import type { Bundle } from '../host/loader.js';
import type { Receipt } from '../host/receipt.js';
import { type InstalledRow, type InstalledStore, isPlugin } from './installed-store.js';
import { brokenBundle, type Contain, type Plugin, pluginBundle } from './plugin.js';
import type { PluginSettings } from './settings.js';
import { assertFree, type Shelf } from './shelf.js';

const lists = ['operations', 'events', 'network', 'env'] as const;
const switches = ['storage', 'public_routes'] as const;

/** Returns the permissions of `asked` that `granted` lacks, each with its missing values. */
function escalation(granted: Permissions, asked: Permissions): Fault[] {
  const more: Fault[] = [];
  for (const name of lists) {
    const missing = (asked[name] ?? []).filter((each) => !granted[name]?.includes(each));
    more.push(...missing.map((each) => ({ path: `permissions.${name}`, message: each })));
  }
  for (const name of switches) {
    if (asked[name] === true && granted[name] !== true) more.push({ path: `permissions.${name}`, message: 'true' });
  }
  return more;
}

/** The steps of an installation and a removal, each when it has been taken. */
export type Step = 'checked' | 'unpacked' | 'activated' | 'committed' | 'published' | 'cleared' | 'deleted' | 'stopped';

export interface PluginsOptions {
  host: Host;
  store: InstalledStore;
  shelf: Shelf;
  contain: Contain;
  /** Keeps ZIPs. */
  blobs: { hold(holder: string, hashes: readonly string[]): Promise<void>; release(holders: readonly string[]): Promise<void> };
  settings: PluginSettings;
  /** Refuses large bundles while the disk has too little space. */
  /** Refuses large writes while the disk has too little free space. */
  floor: { admit(bytes: number): void };
  /** Told of each step, for tests. */
  step: (step: Step) => void | Promise<void>;
}

/** Third parties' extensions on this instance: a row says what is installed, a folder holds it, the host runs it. */
export class Plugins {
  readonly #options: PluginsOptions;

  constructor(options: PluginsOptions) {
    this.#options = options;
  }

  /** Loads the bundle of a row; if it can't be read, or `taken` has the first word of its id, a bundle that fails with the reason. */
  async load(row: InstalledRow, taken: readonly string[]): Promise<{ bundle: Bundle; folder: string | undefined }> {
    try {
      assertFree(row.id, taken);
      const plugin = await this.#options.shelf.place(row.id, row.blob, row.hash);
      return { bundle: await this.#bundle(plugin, row.permissions), folder: plugin.folder };
    } catch (fault) {
      return { bundle: brokenBundle(row, fault), folder: undefined };
    }
  }

  async install({ blob, accept_permissions = false }: InstallRequest): Promise<Installation> {
    const { host, store, shelf, floor, step } = this.#options;
    const { manifest, unpacked_bytes } = await shelf.checkBlob(blob);
    const { id, type, version, permissions = {} } = manifest;
    const before = await store.find(id);
    this.#assertFree(id, before);
    const granted = { id, type, version, permissions };
    if (before?.blob === blob && before.state === 'enabled' && host.catalog.extensions.get(id)?.state === 'active')
      return { ...granted, installed_at: before.installed_at, changed: false, previous: null };
    if (before && !accept_permissions) assertAccepted(id, version, escalation(before.permissions, permissions));
    floor.admit(unpacked_bytes);
    await step('checked');
    const installed_at = await this.#replace(granted, blob, before);
    return { ...granted, installed_at, changed: true, previous: before?.version ?? null };
  }

  /** Runs here what the row says. */
  async follow(row: InstalledRow): Promise<void> {
    const { host, shelf } = this.#options;
    const plugin = await shelf.place(row.id, row.blob, row.hash);
    await host.replace(await this.#bundle(plugin, row.permissions), plugin.folder);
  }

  /** Returns the ids of installed plugins whose settings have changed since they were loaded. */
  async reset(ids: readonly string[]): Promise<Set<string>> {
    const { host, settings } = this.#options;
    const here = ids.flatMap((id) => host.installed(id)?.bundle ?? []).filter(({ manifest }) => manifest.config);
    const marks = await settings.marks(here.map(({ manifest }) => manifest.id));
    return new Set(here.flatMap(({ manifest: { id }, plugin }) => (marks.get(id) === plugin?.mark ? [] : id)));
  }

  async shown(id: string): Promise<ShownSettings> {
    return this.#options.settings.shown(await this.#pluginOf(id));
  }

  /** Starts it anew with other settings; if that fails, the old ones stay. One that doesn't run gets them when it does. */
  async configure(id: string, given: Readonly<Record<string, unknown>>): Promise<ShownSettings> {
    const { host, store, shelf, settings, contain } = this.#options;
    const manifest = await this.#pluginOf(id);
    const { effective, keep } = await settings.prepare(manifest, given);
    const row = await store.find(id);
    if (row?.state === 'enabled') {
      const plugin = await shelf.place(row.id, row.blob, row.hash);
      const bundle = pluginBundle(plugin, { permissions: row.permissions, ...effective }, contain);
      await host.replace(bundle, plugin.folder, { commit: keep });
    } else {
      await keep();
    }
    return settings.shown(manifest);
  }

  /** Removes it everywhere: the row's end is the removal. Gives what is released, once it is; nobody need wait for that. */
  async uninstall(
    id: string,
    { purge, forget }: { purge: boolean; forget: () => Promise<void> },
  ): Promise<{ released: Promise<Released> }> {
    const { host, store, shelf, blobs, step } = this.#options;
    const row = await store.find(id);
    if (!row) throw this.#notInstalled(id);
    const process = this.#isActive(id) && host.installed(id)?.bundle.manifest.type === 'plugin' ? 1 : 0;
    if (purge) await shelf.announcePurge(id);
    const commit = async () => {
      await store.transaction(async () => {
        await store.delete(id, { purge });
        await blobs.release([holderOf(id)]);
        if (purge) await forget();
      });
      await step('deleted');
    };
    try {
      // Another instance may have installed it a moment ago.
      if (host.installed(id)) await host.remove(id, commit);
      else await commit();
    } catch (fault) {
      await shelf.forgetPurge(id);
      throw fault;
    }
    await step('stopped');
    return { released: host.ended(id).then((receipt) => ({ ...released(receipt), process })) };
  }

  /** Removes what is left of what is no more installed, once it has ended. */
  async tidy(id: string, purge: boolean): Promise<void> {
    const { store, shelf, step } = this.#options;
    if (purge) await store.forgetStorage(id);
    const row = await store.find(id);
    await shelf.clear(id, row?.blob);
    if (purge) await (row ? shelf.forgetPurge(id) : shelf.purge(id));
    await step('cleared');
  }

  async installed(): Promise<InstalledExtension[]> {
    const { host, store } = this.#options;
    return (await store.all()).flatMap((row) => {
      const [entry, here] = [host.catalog.extensions.get(row.id), host.installed(row.id)];
      if (!isPlugin(row) || !entry) return [];
      const { name, type } = entry.manifest;
      const { id, version, permissions, installed_at, blob: content_hash } = row;
      const how = { state: entry.state, error: entry.error ?? null, folder: here?.folder ?? null };
      return [{ id, name, type, version, content_hash, permissions, installed_at, ...how }];
    });
  }

  /** A skill that is active here. */
  async skill(id: string): Promise<InstalledSkill | undefined> {
    const here = this.#activeSkill(id);
    if (!here) return undefined;
    const [read] = await Promise.allSettled([this.#options.shelf.skill(here.folder)]);
    // While it was read it may have been replaced, and some of its files be gone already.
    if (this.#activeSkill(id)?.folder !== here.folder) return this.skill(id);
    if (read.status === 'rejected') throw read.reason;
    return { id, version: here.version, ...read.value };
  }

  #activeSkill(id: string): { folder: string; version: string } | undefined {
    const { bundle, folder } = this.#options.host.installed(id) ?? {};
    if (!folder || bundle?.manifest.type !== 'skill' || !this.#isActive(id)) return undefined;
    return { folder, version: bundle.manifest.version };
  }

  async #replace(granted: { id: string; version: string; permissions: Permissions }, blob: string, before: InstalledRow | undefined) {
    const { host, store, shelf, blobs, step } = this.#options;
    const { id, version, permissions } = granted;
    const plugin = await shelf.place(id, blob);
    await step('unpacked');
    let installed_at = '';
    const commit = async () => {
      await step('activated');
      installed_at = await store.transaction(async () => {
        await blobs.release([holderOf(id)]);
        await blobs.hold(holderOf(id), [blob]);
        return store.put({ id, version, hash: plugin.hash, state: 'enabled', blob, permissions });
      });
      await step('committed');
    };
    try {
      await host.replace(await this.#bundle(plugin, permissions), plugin.folder, { commit });
    } catch (fault) {
      if (before?.blob !== blob) await shelf.clear(id, before?.blob);
      throw fault;
    }
    await step('published');
    return installed_at;
  }

  async #bundle(plugin: Plugin, permissions: Permissions): Promise<Bundle> {
    const { settings, contain } = this.#options;
    return pluginBundle(plugin, { permissions, ...(await settings.effective(plugin.manifest)) }, contain);
  }

  async #pluginOf(id: string): Promise<Manifest> {
    const installed = this.#options.host.installed(id);
    if (installed?.bundle.plugin) return installed.bundle.manifest;
    if (installed) throw fail('plugin_without_config', `The settings of '${id}' stand in the platform's own configuration`);
    throw fail('plugin_not_found', `There is no extension '${id}'`);
  }

  #isActive(id: string): boolean {
    return this.#options.host.catalog.extensions.get(id)?.state === 'active';
  }

  /**
   * An id with another's at its beginning (`a`, `a.b`) would have names that both may take: of operations, topics and
   * frames.
   */
  #assertFree(id: string, before: InstalledRow | undefined): void {
    const ids = [...this.#options.host.catalog.extensions.keys()];
    if (before ? !isPlugin(before) : this.#isOwn(id)) throw fail('id_reserved', `The id '${id}' belongs to the platform`);
    const close = ids.find((other) => other !== id && (other.startsWith(`${id}.`) || id.startsWith(`${other}.`)));
    if (close) throw fail('extension_conflict', `The id '${id}' can't stand beside '${close}': one begins with the other`);
  }

  #notInstalled(id: string) {
    if (!this.#isOwn(id)) return fail('plugin_not_found', `There is no extension '${id}'`);
    return fail('extension_required', `Extension '${id}' belongs to the platform; it can be disabled, not removed`);
  }

  /** Whether it is the platform's. A third party's that has no row was removed by another instance, and still ends here. */
  #isOwn(id: string): boolean {
    const known = this.#options.host.installed(id);
    return known !== undefined && !known.bundle.plugin;
  }
}

function assertAccepted(id: string, version: string, more: ReturnType<typeof escalation>): void {
  if (more.length === 0) return;
  const named = more.map(({ path, message }) => `${path.replace('permissions.', '')}: ${message}`).join(', ');
  const message = `Version ${version} of '${id}' asks for more than was granted, and nobody has accepted it: ${named}`;
  throw fail('permissions_not_accepted', message.slice(0, 1_000), { details: more });
}

function released(receipt: Receipt | undefined): Omit<Released, 'process'> {
  const { operations = 0, actions = 0, tools = 0, subscriptions = 0 } = receipt ?? {};
  return { operations, actions, tools, subscriptions };
}

function holderOf(id: string): string {
  return `extension:${id}`;
}
