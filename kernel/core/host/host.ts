import type { StopReason } from '../../contract/extension.js';
import { kept } from '../ambient.js';
import type { Catalog } from '../catalog/catalog.js';
import type { Cell } from '../catalog/cell.js';
import type { Activator } from './activate.js';
import { fail } from './codes.js';
import { Faults } from './faults.js';
import { assertFits, dependentsAmong, operationsBeside, unmetAmong } from './fit.js';
import { Handovers } from './handover.js';
import type { Installed } from './installed.js';
import type { Loaded, Neighbours } from './loaded.js';
import type { Bundle } from './loader.js';
import { dependencyOrder } from './order.js';
import type { Receipt } from './receipt.js';
import type { Replacement } from './replacement.js';
import type { Running } from './running.js';
import { closedClaims } from './snapshot.js';

export interface HostOptions {
  loaded: Loaded;
  activator: Activator;
  platform_version: string;
}

/**
 * Holds what is loaded. Every change builds what is new aside, publishes one new catalog by one
 * assignment, and only then stops what is old. Changes follow one another; none waits for a drain.
 */
export class Host {
  readonly #options: HostOptions;
  readonly #loaded: Loaded;
  readonly #published: ((catalog: Catalog<Cell>) => void)[] = [];
  readonly #unstarted: ((id: string, fault: unknown) => void)[] = [];
  /** Called once, at the next publication. */
  readonly #atPublication: (() => void)[] = [];
  readonly #faults: Faults;
  #booted = false;
  #queue: Promise<unknown> = Promise.resolve();
  readonly #handovers: Handovers;
  readonly #outside = kept();

  constructor(options: HostOptions) {
    this.#options = options;
    this.#loaded = options.loaded;
    this.#handovers = new Handovers(options.activator);
    this.#faults = new Faults(options.activator.options.services);
  }

  /** Calls back with each publication, once the platform has started: whoever shows the catalog to others. */
  onPublished(listener: (catalog: Catalog<Cell>) => void): void {
    this.#published.push(listener);
  }

  /** Calls back for what was to start by itself and did not. */
  onUnstarted(listener: (id: string, fault: unknown) => void): void {
    this.#unstarted.push(listener);
  }

  get catalog(): Catalog<Cell> {
    return this.#loaded.catalog;
  }

  /** All that runs now. */
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
   * Loads extensions at the start, each after what it depends on, those of third parties last: what they ask when they
   * start is there, as it is when they are installed. Thrown is only the failure of a required
   * one, and that of one of the platform's own whose tables a newer version has changed.
   */
  async boot(found: readonly { bundle: Bundle; folder: string | undefined; builtin: boolean; enabled: boolean }[]): Promise<void> {
    const byId = new Map(found.map((item) => [item.bundle.manifest.id, item]));
    for (const item of found) this.#installed.set(item.bundle.manifest.id, { ...item, error: undefined, restarts: 0 });
    const order = dependencyOrder(found.map((item) => item.bundle.manifest)).map(({ id }) => id);
    const isPlugin = (id: string) => this.#isPlugin(id);
    for (const id of [...order.filter((each) => !isPlugin(each)), ...order.filter(isPlugin)]) {
      const item = byId.get(id);
      // It may run already, or have failed: whoever waited for an earlier one was started with it.
      if (!item?.enabled || this.#running.has(id)) continue;
      if (this.#known(id).error !== undefined && !item.bundle.manifest.required) continue;
      await this.#serialised(() => this.#start(id)).catch((fault: unknown) => {
        if (item.bundle.manifest.required) throw fault;
        this.#didNotStart(id, fault);
      });
    }
    // An older program on a newer database would damage it, or serve half of it: it doesn't start.
    const newer = this.#faults.find((id, fault) => fault.code === 'schema_newer' && byId.get(id)?.builtin === true);
    if (newer) throw newer;
    this.#booted = true;
    this.#publish(this.#running);
    this.#faults.tell();
  }

  /** Starts a disabled or failed extension, and those that waited for it. */
  enable(id: string): Promise<void> {
    return this.#serialised(async () => {
      this.#known(id);
      if (this.#running.has(id) && !this.#known(id).restarting) return;
      this.#update(id, { enabled: true, error: undefined, restarting: false });
      await this.#start(id);
    });
  }

  /** Stops an extension and all that depends on it. */
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

  /** Puts a version in the place of the one that runs, or starts it where none does. If it fails, the old one serves on. */
  replace(
    bundle: Bundle,
    folder: string | undefined,
    { builtin = false, commit }: Replacement = {},
  ): Promise<{ previous: string | undefined }> {
    return this.#serialised(async () => {
      const { id } = bundle.manifest;
      const before = this.#installed.get(id);
      const others = [...this.#installed.values()].map((other) => other.bundle.manifest);
      assertFits(bundle.manifest, others, this.#options.platform_version);
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

  /** Stops an extension for good. `commit` makes it last, before anyone sees it; if it fails, nothing has changed. */
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

  /** Resolves with what the version that stopped last has released; undefined if none stopped. */
  ended(id: string): Promise<Receipt | undefined> {
    return this.#handovers.ended(id);
  }

  /** The process of an extension is gone and will be started again: what it offers stays, and fails meanwhile. False where that version isn't in its place any more. */
  lose(id: string, lost: AbortSignal, error: string): Promise<boolean> {
    return this.#serialised(async () => {
      if (!this.#isLost(id, lost)) return false;
      this.#update(id, { restarting: true, error });
      this.#publish(this.#running);
      return true;
    });
  }

  /** Starts an extension again whose process is gone; a failure is thrown, and nobody told. */
  restart(id: string, lost: AbortSignal): Promise<void> {
    return this.#serialised(async () => {
      if (!this.#isLost(id, lost)) return;
      await this.#start(id, { silent: true });
      this.#update(id, { restarts: this.#known(id).restarts + 1 });
      this.#publish(this.#running);
    });
  }

  /** Tries again to start what failed to, where it still is to run; a failure is thrown, and nobody told. */
  retry(id: string): Promise<void> {
    return this.#serialised(async () => {
      if (!this.#installed.get(id)?.enabled || this.#running.has(id)) return;
      await this.#start(id, { silent: true });
    });
  }

  /** Gives an extension up whose process is gone, and stops all that depends on it. */
  giveUp(id: string, lost: AbortSignal, reason: string): Promise<void> {
    return this.#serialised(async () => {
      if (!this.#isLost(id, lost)) return;
      const stopped = [id, ...this.#dependentsOf(id)];
      this.#update(id, { restarting: false });
      this.#stop(stopped, 'removed');
      this.#failed(id, fail('extension_failed', reason));
      this.#publish(this.#running);
    });
  }

  #isPlugin(id: string): boolean {
    return this.#known(id).bundle.plugin !== undefined;
  }

  #isLost(id: string, lost: AbortSignal): boolean {
    return this.#running.get(id)?.signal === lost && !lost.aborted;
  }

  /** Waits until all work that extensions track is final. */
  async settled(): Promise<void> {
    await Promise.all([...this.#running.values()].map((running) => running.settled()));
  }

  /** Stops everything, dependents before what they depend on. */
  async close(): Promise<void> {
    await this.#serialised(async () => {
      // All know at once: otherwise one would go on giving work to another that has stopped already.
      for (const running of this.#running.values()) running.stopping('shutdown');
      // The doors send new requests away; what is under way still finds all that it needs.
      for (const show of this.#published) show({ ...this.catalog, claims: closedClaims(this.catalog.claims) });
      const order = dependencyOrder([...this.#running.values()].map((running) => running.bundle.manifest));
      for (const { id } of order.reverse()) {
        const running = this.#running.get(id);
        if (running) await this.#handovers.hand(id, { old: running, reason: 'shutdown' });
      }
    });
    await this.#handovers.settled();
  }

  #serialised<T>(change: () => Promise<T>): Promise<T> {
    // Work that an extension begins at its start outlives the request that started it, and is not part of its trace.
    const result = this.#queue.then(() => this.#outside(change));
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

  /** Activates what is installed under `id`, and whatever waited for it, and publishes all of it at once. */
  async #start(id: string, { commit, silent }: { commit?: Replacement['commit']; silent?: boolean } = {}): Promise<void> {
    const next = new Map(this.#running);
    try {
      next.set(id, await this.#activated(id, next, commit));
      this.#update(id, { error: undefined, restarting: false });
    } catch (fault) {
      if (!silent) this.#failed(id, fault);
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
      if (old !== running) void this.#handovers.hand(each, { old, fresh: running, reason: 'replaced' });
    }
    for (const each of broken) {
      const old = before.get(each);
      if (old && !next.has(each)) void this.#handovers.hand(each, { old, reason: 'removed' });
    }
    if (this.#booted) await this.#startWaitingPlugins(id);
  }

  /** Third parties' extensions that lacked this one only: they start when it can be asked. */
  async #startWaitingPlugins(id: string): Promise<void> {
    for (const each of this.#dependentsOf(id).filter((dependent) => this.#isPlugin(dependent))) {
      const { enabled } = this.#known(each);
      if (!enabled || this.#running.has(each) || this.#unmet(each, this.#running) !== undefined) continue;
      // Its failure is reported with it, not with the extension that has started.
      await this.#start(each).catch((fault: unknown) => this.#didNotStart(each, fault));
    }
  }

  /** Starts those of the platform's own that are enabled, don't run, and lacked only what is in `next` now. */
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
        this.#failed(manifest.id, fault);
        this.#didNotStart(manifest.id, fault);
      }
    }
  }

  async #activated(id: string, next: ReadonlyMap<string, Running>, commit: Replacement['commit']): Promise<Running> {
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
    assertFits(bundle.manifest, others, this.#options.platform_version);
    // While it activates, the new version sees its neighbours as they will be; from its publication on as they are.
    let coming: ReadonlyMap<string, Running> | undefined = next;
    this.#atPublication.push(() => {
      coming = undefined;
    });
    const neighbours = this.#loaded.neighbours(() => coming ?? this.#running);
    return this.#options.activator.activate(bundle, neighbours, operationsBeside(id, next));
  }

  #didNotStart(id: string, fault: unknown): void {
    for (const listener of this.#unstarted) listener(id, fault);
  }

  #failed(id: string, fault: unknown): void {
    const sentence = this.#faults.add(id, fault);
    if (!this.#running.has(id)) this.#update(id, { error: sentence });
  }

  #stop(ids: readonly string[], reason: StopReason): void {
    const next = new Map(this.#running);
    const stopped = ids.flatMap((id) => this.#running.get(id) ?? []);
    for (const id of ids) next.delete(id);
    for (const id of ids.slice(1)) this.#update(id, { error: this.#unmet(id, next) });
    this.#publish(next);
    for (const running of stopped) void this.#handovers.hand(running.extension, { old: running, reason });
  }

  #publish(running: ReadonlyMap<string, Running>): void {
    this.#loaded.publish(running);
    for (const done of this.#atPublication.splice(0)) done();
    if (this.#booted) for (const show of this.#published) show(this.catalog);
  }

  #unmet(id: string, next: ReadonlyMap<string, Running>): string | undefined {
    return unmetAmong(id, this.#installed, next);
  }

  #dependentsOf(id: string): string[] {
    return dependentsAmong(id, this.#installed);
  }
}
