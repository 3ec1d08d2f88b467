import type { CheckResult, Disposable } from '../../../contract/extension.js';
import { fail } from '../../../core/host/codes.js';
import type { Held, Holder, HoldOptions } from './holder.js';
import { neededWalls, openWithout, type Wall, type WallName, wallNames } from './wall.js';

export interface ContainmentOptions {
  data_dir: string;
  /** Ids of plugins that may run without isolation. */
  trusted: readonly string[];
  /** Layers to use. Default: all. For tests. */
  walls?: readonly WallName[];
}

/** Isolates plugins on this machine. Probes the available layers on first use. */
export class Containment implements Disposable {
  readonly #options: ContainmentOptions;
  #holder: Promise<Holder> | undefined;
  readonly #holding = new Map<string, Set<readonly WallName[]>>();

  constructor(options: ContainmentOptions) {
    this.#options = options;
  }

  /** Returns each layer, and whether it works here. */
  async walls(): Promise<readonly Wall[]> {
    return (await this.#open()).walls;
  }

  /** Returns the layers around a running plugin's process; empty without a process. */
  around(plugin: string): readonly WallName[] {
    return [...(this.#holding.get(plugin) ?? [])].at(-1) ?? [];
  }

  /**
   * Prepares the isolation of a plugin's process; dispose it after the process has ended.
   *
   * @throws `plugin_not_contained` if a required layer doesn't work and the plugin is not trusted; an error that names
   * the fault of its folder.
   */
  async hold(plugin: string, options: HoldOptions): Promise<Held> {
    const holder = await this.#open();
    if (!options.trusted && !this.#options.trusted.includes(plugin)) assertContained(plugin, holder.walls);
    const held = await holder.hold(plugin, options);
    const around = holder.walls.filter(({ holds }) => holds).map(({ wall }) => wall);
    const all = this.#holding.get(plugin) ?? new Set();
    this.#holding.set(plugin, all.add(around));
    const dispose = () => {
      all.delete(around);
      return held.dispose();
    };
    return { ...held, dispose };
  }

  /**
   * Checks the layers; fails if this system could have a layer that it lacks. Without a layer it passes if the trusted plugins are the
   * only ones.
   *
   * @param plugins Ids of the installed plugins
   */
  async check(plugins: readonly string[]): Promise<CheckResult> {
    const missing = (await this.walls()).filter(({ holds }) => !holds);
    if (missing.length === 0) return { ok: true, message: `Plugins are held by ${wallNames.join(', ')}` };
    const told = missing.map(({ wall, why }) => `${wall} (${why})`).join('; ');
    const open = missing.map(({ wall }) => openWithout[wall]).join('; ');
    const needed = missing.some(({ wall }) => neededWalls.includes(wall));
    const only = needed ? ' Only plugins that plugins.trusted names run.' : '';
    if (process.platform !== 'linux') {
      return { ok: true, message: `This system has no walls around plugins beyond Node's permissions: a plugin could ${open}.${only}` };
    }
    const message = `Walls around plugins do not hold: ${told}. A plugin could ${open}.${only}`;
    if (this.#trustsAll(plugins)) return { ok: true, message: `${message} All installed plugins are trusted.` };
    const { mendOf } = await import('./mend.js');
    return { ok: false, message, fix: mendOf(missing) };
  }

  #trustsAll(plugins: readonly string[]): boolean {
    const { trusted } = this.#options;
    return trusted.length > 0 && plugins.every((id) => trusted.includes(id));
  }

  /** Disposes it. Call it after all processes have ended. */
  async dispose(): Promise<void> {
    (await this.#holder)?.dispose();
  }

  #open(): Promise<Holder> {
    // Without a handler this signal opens a debugger, which lets its sender run code in this process.
    if (!process.listeners('SIGUSR1').includes(ignore)) process.on('SIGUSR1', ignore);
    this.#holder ??= import('./holder.js').then(({ openHolder }) => {
      return openHolder({ data_dir: this.#options.data_dir, wanted: this.#options.walls ?? wallNames });
    });
    return this.#holder;
  }
}

function ignore(): void {
  // Keep a debugger that was requested by a flag.
}

function assertContained(plugin: string, walls: readonly Wall[]): void {
  const missing = walls.filter(({ wall, holds }) => !holds && neededWalls.includes(wall));
  if (missing.length === 0) return;
  const told = missing.map(({ wall, why }) => `${wall} (${why})`).join('; ');
  throw fail(
    'plugin_not_contained',
    `Extension '${plugin}' may not run because walls around plugins do not hold here: ${told}. ` +
      `See platform doctor, or trust its author and name it in plugins.trusted (PLATFORM_PLUGINS_TRUSTED=${plugin})`,
  );
}
