import type { StopReason } from '../../contract/extension.js';
import { captureContext } from '../ambient.js';
import type { Catalog } from '../catalog/catalog.js';
import type { Cell } from '../catalog/cell.js';
import type { Activator } from './activate.js';
import { fail } from './codes.js';
import { assertCompatible, dependentsOf, operationOwners, unmetRequirement } from './compatibility.js';
import { Faults } from './faults.js';
import { Handovers } from './handover.js';
import type { Installed } from './installed.js';
import type { Loaded, Neighbours } from './loaded.js';
import type { Bundle } from './loader.js';
import { dependencyOrder } from './order.js';
import type { Receipt } from './receipt.js';
import type { ReplaceOptions } from './replace-options.js';
import type { Running } from './running.js';
import { closedClaims } from './snapshot.js';

export interface HostOptions {
  loaded: Loaded;
  activator: Activator;
  platform_version: string;
}

/**
 * Loads, replaces and stops extensions. A change activates new versions aside, publishes a new catalog by one assignment, and only then
 * stops old versions. Changes are serialised; none waits for a drain.
 */
export class Host {
  readonly #options: HostOptions;
  readonly #loaded: Loaded;
  readonly #publicationListeners: ((catalog: Catalog<Cell>) => void)[] = [];
  readonly #startFailedListeners: ((id: string, fault: unknown) => void)[] = [];
  /** Callbacks for the next publication only. */
  readonly #atPublication: (() => void)[] = [];
  readonly #faults: Faults;
  #booted = false;
  #queue: Promise<unknown> = Promise.resolve();
  readonly #handovers: Handovers;
  readonly #inInitialContext = captureContext();

  constructor(options: HostOptions) {
    this.#options = options;
    this.#loaded = options.loaded;
    this.#handovers = new Handovers(options.activator);
    this.#faults = new Faults(options.activator.options.services);
  }

  /** Registers a listener for each publication after the platform's start. */
  onPublished(listener: (catalog: Catalog<Cell>) => void): void {
    this.#publicationListeners.push(listener);
  }

  /** Registers a listener for extensions that failed to start automatically. */
  onStartFailed(listener: (id: string, fault: unknown) => void): void {
    this.#startFailedListeners.push(listener);
  }

  get catalog(): Catalog<Cell> {
    return this.#loaded.catalog;
  }

  /** All running extensions. */
  get running(): ReadonlyMap<string, Running> {
    return this.#loaded.running;
  }

  get neighbours(): Neighbours {
    return this.#loaded.neighbours();
  }

  get #installed(): Map<string, Installed> {
    return this.#loaded.installed;
  }

  get #running(): ReadonlyMap<string, Running> {
    return this.#loaded.running;
  }

  installed(id: string): Installed | undefined {
    return this.#installed.get(id);
  }

  /**
   * Loads extensions at the start, each after its dependencies. Plugins come last, so that they find the same platform as when they were
   * installed. Fails only if a required extension fails, or if a newer version has migrated the tables of a built-in one.
   */
  async boot(found: readonly { bundle: Bundle; folder: string | undefined; builtin: boolean; enabled: boolean }[]): Promise<void> {
    const byId = new Map(found.map((item) => [item.bundle.manifest.id, item]));
    for (const item of found) this.#installed.set(item.bundle.manifest.id, { ...item, error: undefined, restarts: 0 });
    const order = dependencyOrder(found.map((item) => item.bundle.manifest)).map(({ id }) => id);
    const isPlugin = (id: string) => this.#isPlugin(id);
    for (const id of [...order.filter((each) => !isPlugin(each)), ...order.filter(isPlugin)]) {
      const item = byId.get(id);
      // It may run or have failed already: dependents that wait for an extension start with it.
      if (!item?.enabled || this.#running.has(id)) continue;
      if (this.#known(id).error !== undefined && !item.bundle.manifest.required) continue;
      await this.#serialised(() => this.#start(id)).catch((fault: unknown) => {
        if (item.bundle.manifest.required) throw fault;
        this.#reportStartFailed(id, fault);
      });
    }
    // An older program would damage a newer database or serve only part of it.
    const newer = this.#faults.find((id, fault) => fault.code === 'schema_newer' && byId.get(id)?.builtin === true);
    if (newer) throw newer;
    this.#booted = true;
    this.#publish(this.#running);
    this.#faults.emitPending();
  }

  /** Starts a disabled or failed extension and the dependents that wait for it. */
  enable(id: string): Promise<void> {
    return this.#serialised(async () => {
      this.#known(id);
      if (this.#running.has(id) && !this.#known(id).restarting) return;
      this.#update(id, { enabled: true, error: undefined, restarting: false });
      await this.#start(id);
    });
  }

  /** Stops an extension and all its dependents. */
  async disable(id: string): Promise<Receipt | undefined> {
    await this.#serialised(async () => {
      const { manifest } = this.#known(id).bundle;
      const needed = [id, ...this.#dependentsOf(id)].find((each) => this.#installed.get(each)?.bundle.manifest.required);
      if (needed)
        throw fail('extension_required', `Extension '${needed}' is required and can't be disabled; it can be replaced or reloaded`);
      this.#update(id, { enabled: false, error: `Extension '${manifest.id}' is disabled` });
      this.#stop([id, ...this.#dependentsOf(id)], 'removed');
    });
    return this.#handovers.ended(id);
  }

  /** Replaces the running version, or starts the extension if none runs. If that fails, the old version stays active. */
  replace(
    bundle: Bundle,
    folder: string | undefined,
    { builtin = false, commit }: ReplaceOptions = {},
  ): Promise<{ previous: string | undefined }> {
    return this.#serialised(async () => {
      const { id } = bundle.manifest;
      const before = this.#installed.get(id);
      const others = [...this.#installed.values()].map((other) => other.bundle.manifest);
      assertCompatible(bundle.manifest, others, this.#options.platform_version);
      this.#installed.set(id, {
        bundle,
        folder,
        builtin: before?.builtin ?? builtin,
        enabled: true,
        error: undefined,
        restarts: (before?.restarts ?? -1) + 1,
      });
      try {
        await this.#start(id, { commit });
      } catch (fault) {
        if (before) this.#installed.set(id, before);
        else this.#installed.delete(id);
        this.#publish(this.#running);
        throw fault;
      }
      return { previous: before?.bundle.manifest.version };
    });
  }

  /** Removes an extension. `commit` persists the removal before it is published; if it fails, nothing changes. */
  remove(id: string, commit?: () => Promise<void>): Promise<void> {
    return this.#serialised(async () => {
      const { builtin } = this.#known(id);
      const [dependent] = this.#dependentsOf(id);
      if (builtin) throw fail('extension_required', `Extension '${id}' belongs to the platform; it can be disabled, not removed`);
      if (dependent) throw fail('extension_conflict', `Extension '${dependent}' depends on '${id}'; remove it first`);
      await commit?.();
      const ran = this.#running.has(id);
      this.#installed.delete(id);
      this.#faults.forget(id);
      if (!ran) this.#handovers.forget(id);
      this.#stop([id], 'removed');
    });
  }

  /** Resolves with the receipt of the version that stopped last; undefined if none stopped. */
  ended(id: string): Promise<Receipt | undefined> {
    return this.#handovers.ended(id);
  }

  /** Marks an extension as restarting after its process ended: its operations stay and fail. False if that version was replaced. */
  markRestarting(id: string, lost: AbortSignal, error: string): Promise<boolean> {
    return this.#serialised(async () => {
      if (!this.#isLost(id, lost)) return false;
      this.#update(id, { restarting: true, error });
      this.#publish(this.#running);
      return true;
    });
  }

  /** Restarts an extension whose process ended. A failure is thrown but not reported. */
  restart(id: string, lost: AbortSignal): Promise<void> {
    return this.#serialised(async () => {
      if (!this.#isLost(id, lost)) return;
      await this.#start(id, { silent: true });
      this.#update(id, { restarts: this.#known(id).restarts + 1 });
      this.#publish(this.#running);
    });
  }

  /** Retries a failed start if the extension is still enabled. A failure is thrown but not reported. */
  retry(id: string): Promise<void> {
    return this.#serialised(async () => {
      if (!this.#installed.get(id)?.enabled || this.#running.has(id)) return;
      await this.#start(id, { silent: true });
    });
  }

  /** Marks an extension as failed after its last restart, and stops all its dependents. */
  giveUp(id: string, lost: AbortSignal, reason: string): Promise<void> {
    return this.#serialised(async () => {
      if (!this.#isLost(id, lost)) return;
      const stopped = [id, ...this.#dependentsOf(id)];
      this.#update(id, { restarting: false });
      this.#stop(stopped, 'removed');
      this.#recordFailure(id, fail('extension_failed', reason));
      this.#publish(this.#running);
    });
  }

  #isPlugin(id: string): boolean {
    return this.#known(id).bundle.plugin !== undefined;
  }

  #isLost(id: string, lost: AbortSignal): boolean {
    return this.#running.get(id)?.signal === lost && !lost.aborted;
  }

  /** Waits for all tracked work of extensions. */
  async settled(): Promise<void> {
    await Promise.all([...this.#running.values()].map((running) => running.settled()));
  }

  /** Stops all extensions, dependents first. */
  async close(): Promise<void> {
    await this.#serialised(async () => {
      // Signal all before stopping any: otherwise one could still send work to another that has stopped.
      for (const running of this.#running.values()) running.stopping('shutdown');
      // Doors reject new requests; running ones still find every extension.
      for (const show of this.#publicationListeners) show({ ...this.catalog, claims: closedClaims(this.catalog.claims) });
      const order = dependencyOrder([...this.#running.values()].map((running) => running.bundle.manifest));
      for (const { id } of order.reverse()) {
        const running = this.#running.get(id);
        if (running) await this.#handovers.start(id, { old: running, reason: 'shutdown' });
      }
    });
    await this.#handovers.settled();
  }

  #serialised<T>(change: () => Promise<T>): Promise<T> {
    // Work that an extension begins at its start outlives the request that started it and must not join its trace.
    const result = this.#queue.then(() => this.#inInitialContext(change));
    this.#queue = result.catch(() => undefined);
    return result;
  }

  #known(id: string): Installed {
    const installed = this.#installed.get(id);
    if (!installed) throw fail('plugin_not_found', `There is no extension '${id}'`);
    return installed;
  }

  #update(id: string, change: Partial<Installed>): void {
    this.#installed.set(id, { ...this.#known(id), ...change });
  }

  /** Activates `id` and the dependents that wait for it, and publishes them together. */
  async #start(id: string, { commit, silent }: { commit?: ReplaceOptions['commit']; silent?: boolean } = {}): Promise<void> {
    const next = new Map(this.#running);
    try {
      next.set(id, await this.#activated(id, next, commit));
      this.#update(id, { error: undefined, restarting: false });
    } catch (fault) {
      if (!silent) this.#recordFailure(id, fault);
      this.#publish(this.#running);
      throw fault;
    }
    const broken = this.#dependentsOf(id).filter((each) => next.has(each) && this.#unmet(each, next) !== undefined);
    for (const each of broken) next.delete(each);
    await this.#startWaiting(id, next);
    const before = this.#running;
    for (const each of broken.filter((each) => !next.has(each))) this.#update(each, { error: this.#unmet(each, next) });
    this.#publish(next);
    for (const [each, running] of next) {
      const old = before.get(each);
      if (old !== running) void this.#handovers.start(each, { old, fresh: running, reason: 'replaced' });
    }
    for (const each of broken) {
      const old = before.get(each);
      if (old && !next.has(each)) void this.#handovers.start(each, { old, reason: 'removed' });
    }
    if (this.#booted) await this.#startWaitingPlugins(id);
  }

  /** Starts plugins that lacked only this extension, after its publication, because they may call it at once. */
  async #startWaitingPlugins(id: string): Promise<void> {
    for (const each of this.#dependentsOf(id).filter((dependent) => this.#isPlugin(dependent))) {
      const { enabled } = this.#known(each);
      if (!enabled || this.#running.has(each) || this.#unmet(each, this.#running) !== undefined) continue;
      // A failure belongs to the plugin, not to the extension that has started.
      await this.#start(each).catch((fault: unknown) => this.#reportStartFailed(each, fault));
    }
  }

  /** Starts enabled built-in extensions whose dependencies are all in `next` now. */
  async #startWaiting(id: string, next: Map<string, Running>): Promise<void> {
    const own = this.#dependentsOf(id).filter((each) => !this.#isPlugin(each));
    const waiting = own.map((each) => this.#known(each).bundle.manifest);
    for (const manifest of dependencyOrder(waiting)) {
      const { enabled } = this.#known(manifest.id);
      if (!enabled || next.has(manifest.id) || this.#unmet(manifest.id, next) !== undefined) continue;
      try {
        next.set(manifest.id, await this.#activate(manifest.id, next));
        this.#update(manifest.id, { error: undefined });
      } catch (fault) {
        this.#recordFailure(manifest.id, fault);
        this.#reportStartFailed(manifest.id, fault);
      }
    }
  }

  async #activated(id: string, next: ReadonlyMap<string, Running>, commit: ReplaceOptions['commit']): Promise<Running> {
    const fresh = await this.#activate(id, next);
    try {
      await commit?.();
      return fresh;
    } catch (fault) {
      await this.#options.activator.discard(fresh);
      throw fault;
    }
  }

  async #activate(id: string, next: ReadonlyMap<string, Running>): Promise<Running> {
    const { bundle } = this.#known(id);
    const unmet = this.#unmet(id, next);
    if (unmet) throw fail('dependency_missing', unmet);
    const others = [...next.values()].map((other) => other.bundle.manifest);
    assertCompatible(bundle.manifest, others, this.#options.platform_version);
    // During activation the new version sees its future neighbours; after publication, the published ones.
    let coming: ReadonlyMap<string, Running> | undefined = next;
    this.#atPublication.push(() => {
      coming = undefined;
    });
    const neighbours = this.#loaded.neighbours(() => coming ?? this.#running);
    return this.#options.activator.activate(bundle, neighbours, operationOwners(id, next));
  }

  #reportStartFailed(id: string, fault: unknown): void {
    for (const listener of this.#startFailedListeners) listener(id, fault);
  }

  #recordFailure(id: string, fault: unknown): void {
    const sentence = this.#faults.add(id, fault);
    if (!this.#running.has(id)) this.#update(id, { error: sentence });
  }

  #stop(ids: readonly string[], reason: StopReason): void {
    const next = new Map(this.#running);
    const stopped = ids.flatMap((id) => this.#running.get(id) ?? []);
    for (const id of ids) next.delete(id);
    for (const id of ids.slice(1)) this.#update(id, { error: this.#unmet(id, next) });
    this.#publish(next);
    for (const running of stopped) void this.#handovers.start(running.extension, { old: running, reason });
  }

  #publish(running: ReadonlyMap<string, Running>): void {
    this.#loaded.publish(running);
    for (const done of this.#atPublication.splice(0)) done();
    if (this.#booted) for (const show of this.#publicationListeners) show(this.catalog);
  }

  #unmet(id: string, next: ReadonlyMap<string, Running>): string | undefined {
    return unmetRequirement(id, this.#installed, next);
  }

  #dependentsOf(id: string): string[] {
    return dependentsOf(id, this.#installed);
  }
}
