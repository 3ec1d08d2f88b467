import type { Fault } from '../../contract/failure.js';
import type { Installation, InstalledExtension, InstalledSkill, InstallRequest, Released } from '../../contract/installation.js';
import type { Manifest, Permissions } from '../../contract/manifest.js';
import type { ShownSettings } from '../../contract/system.js';
import { fail } from '../host/codes.js';
import type { Host } from '../host/host.js';
import type { Bundle } from '../host/loader.js';
import type { Receipt } from '../host/receipt.js';
import { assertFree, type BundleFolders } from './bundle-folders.js';
import { type InstalledRow, type InstalledStore, isPlugin } from './installed-store.js';
import { brokenBundle, type Contain, type Plugin, pluginBundle } from './plugin.js';
import type { PluginSettings } from './settings.js';

const lists = ['operations', 'events', 'network', 'env'] as const;
const switches = ['storage', 'public_routes'] as const;

/** Returns the permissions of `asked` that `granted` lacks, each with its missing values. */
function missingPermissions(granted: Permissions, asked: Permissions): Fault[] {
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

/** Completed steps of an installation or removal. */
export type Step = 'checked' | 'unpacked' | 'activated' | 'committed' | 'published' | 'cleared' | 'deleted' | 'stopped';

export interface PluginsOptions {
  host: Host;
  store: InstalledStore;
  folders: BundleFolders;
  contain: Contain;
  /** Holds the ZIPs of installed plugins in the blob store. */
  blobs: { hold(holder: string, hashes: readonly string[]): Promise<void>; release(holders: readonly string[]): Promise<void> };
  settings: PluginSettings;
  /** Rejects large writes if the disk has too little free space. */
  floor: { admit(bytes: number): void };
  /** Called after each step, for tests. */
  step: (step: Step) => void | Promise<void>;
}

/** Plugins and skills on this instance: a row records the installation, a folder holds its files, the host runs it. */
export class Plugins {
  readonly #options: PluginsOptions;

  constructor(options: PluginsOptions) {
    this.#options = options;
  }

  /** Loads the bundle of a row. If it can't be read, or its id is reserved by `taken`, returns a bundle whose start fails with the reason. */
  async load(row: InstalledRow, taken: readonly string[]): Promise<{ bundle: Bundle; folder: string | undefined }> {
    try {
      assertFree(row.id, taken);
      const plugin = await this.#options.folders.ensureUnpacked(row.id, row.blob, row.hash);
      return { bundle: await this.#bundle(plugin, row.permissions), folder: plugin.folder };
    } catch (fault) {
      return { bundle: brokenBundle(row, fault), folder: undefined };
    }
  }

  async install({ blob, accept_permissions = false }: InstallRequest): Promise<Installation> {
    const { host, store, folders: shelf, floor, step } = this.#options;
    const { manifest, unpacked_bytes } = await shelf.checkBlob(blob);
    const { id, type, version, permissions = {} } = manifest;
    const before = await store.find(id);
    this.#assertFree(id, before);
    const granted = { id, type, version, permissions };
    if (before?.blob === blob && before.state === 'enabled' && host.catalog.extensions.get(id)?.state === 'active')
      return { ...granted, installed_at: before.installed_at, changed: false, previous: null };
    if (before && !accept_permissions) assertPermissionsAccepted(id, version, missingPermissions(before.permissions, permissions));
    floor.admit(unpacked_bytes);
    await step('checked');
    const installed_at = await this.#replace(granted, blob, before);
    return { ...granted, installed_at, changed: true, previous: before?.version ?? null };
  }

  /** Runs the row's version on this instance. */
  async follow(row: InstalledRow): Promise<void> {
    const { host, folders: shelf } = this.#options;
    const plugin = await shelf.ensureUnpacked(row.id, row.blob, row.hash);
    await host.replace(await this.#bundle(plugin, row.permissions), plugin.folder);
  }

  /** Returns the ids of plugins whose settings have changed since they were loaded. */
  async withChangedSettings(ids: readonly string[]): Promise<Set<string>> {
    const { host, settings } = this.#options;
    const here = ids.flatMap((id) => host.installed(id)?.bundle ?? []).filter(({ manifest }) => manifest.config);
    const marks = await settings.marks(here.map(({ manifest }) => manifest.id));
    return new Set(here.flatMap(({ manifest: { id }, plugin }) => (marks.get(id) === plugin?.mark ? [] : id)));
  }

  async publicSettings(id: string): Promise<ShownSettings> {
    return this.#options.settings.toPublic(await this.#pluginOf(id));
  }

  /** Restarts a plugin with new settings; if that fails, the old ones stay. A disabled plugin gets them at its next start. */
  async configure(id: string, given: Readonly<Record<string, unknown>>): Promise<ShownSettings> {
    const { host, store, folders: shelf, settings, contain } = this.#options;
    const manifest = await this.#pluginOf(id);
    const { effective, store: storeSettings } = await settings.prepare(manifest, given);
    const row = await store.find(id);
    if (row?.state === 'enabled') {
      const plugin = await shelf.ensureUnpacked(row.id, row.blob, row.hash);
      const bundle = pluginBundle(plugin, { permissions: row.permissions, ...effective }, contain);
      await host.replace(bundle, plugin.folder, { commit: storeSettings });
    } else {
      await storeSettings();
    }
    return settings.toPublic(manifest);
  }

  /** Uninstalls on all instances by deleting the row. Returns a promise of the released counts, for which callers need not wait. */
  async uninstall(
    id: string,
    { purge, forget }: { purge: boolean; forget: () => Promise<void> },
  ): Promise<{ releasedCounts: Promise<Released> }> {
    const { host, store, folders: shelf, blobs, step } = this.#options;
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
      // Not known here if another instance has just installed it.
      if (host.installed(id)) await host.remove(id, commit);
      else await commit();
    } catch (fault) {
      await shelf.forgetPurge(id);
      throw fault;
    }
    await step('stopped');
    return { releasedCounts: host.ended(id).then((receipt) => ({ ...released(receipt), process })) };
  }

  /** Removes files of versions that are no longer installed. Call it after they have stopped. */
  async tidy(id: string, purge: boolean): Promise<void> {
    const { store, folders: shelf, step } = this.#options;
    if (purge) await store.deleteOrphanedStorage(id);
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

  /** Returns an active skill; undefined if there is none. */
  async skill(id: string): Promise<InstalledSkill | undefined> {
    const here = this.#activeSkill(id);
    if (!here) return undefined;
    const [read] = await Promise.allSettled([this.#options.folders.skill(here.folder)]);
    // If it was replaced during the read, some files may be gone: read the new one.
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
    const { host, store, folders: shelf, blobs, step } = this.#options;
    const { id, version, permissions } = granted;
    const plugin = await shelf.ensureUnpacked(id, blob);
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
    if (installed) throw fail('plugin_without_config', `The settings of '${id}' are in the platform's own configuration`);
    throw fail('plugin_not_found', `There is no extension '${id}'`);
  }

  #isActive(id: string): boolean {
    return this.#options.host.catalog.extensions.get(id)?.state === 'active';
  }

  /**
   * Fails if the id belongs to the platform, or if one of two ids is a prefix of the other (`a`, `a.b`): both could use the same names
   * of operations, topics and frames.
   */
  #assertFree(id: string, before: InstalledRow | undefined): void {
    const ids = [...this.#options.host.catalog.extensions.keys()];
    if (before ? !isPlugin(before) : this.#isOwn(id)) throw fail('id_reserved', `The id '${id}' belongs to the platform`);
    const close = ids.find((other) => other !== id && (other.startsWith(`${id}.`) || id.startsWith(`${other}.`)));
    if (close) throw fail('extension_conflict', `The id '${id}' conflicts with '${close}': one begins with the other`);
  }

  #notInstalled(id: string) {
    if (!this.#isOwn(id)) return fail('plugin_not_found', `There is no extension '${id}'`);
    return fail('extension_required', `Extension '${id}' belongs to the platform; it can be disabled, not removed`);
  }

  /** Returns whether the extension is built in. A plugin without a row was removed by another instance and is still stopping here. */
  #isOwn(id: string): boolean {
    const known = this.#options.host.installed(id);
    return known !== undefined && !known.bundle.plugin;
  }
}

function assertPermissionsAccepted(id: string, version: string, more: ReturnType<typeof missingPermissions>): void {
  if (more.length === 0) return;
  const named = more.map(({ path, message }) => `${path.replace('permissions.', '')}: ${message}`).join(', ');
  const message = `Version ${version} of '${id}' needs more permissions than were granted; accept them to install it: ${named}`;
  throw fail('permissions_not_accepted', message.slice(0, 1_000), { details: more });
}

function released(receipt: Receipt | undefined): Omit<Released, 'process'> {
  const { operations = 0, actions = 0, tools = 0, subscriptions = 0 } = receipt ?? {};
  return { operations, actions, tools, subscriptions };
}

function holderOf(id: string): string {
  return `extension:${id}`;
}
