import type { CheckResult, Disposable } from '../../../contract/extension.js';
import type { Failure } from '../../../contract/failure.js';
import { fail } from '../../../core/host/codes.js';
import type { IsolatedProcess, Isolation, IsolationOptions } from './isolation.js';
import { neededWalls, riskWithout, type Wall, type WallName, wallNames } from './wall.js';

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
  #isolation: Promise<Isolation> | undefined;
  readonly #active = new Map<string, Set<readonly WallName[]>>();

  constructor(options: ContainmentOptions) {
    this.#options = options;
  }

  /** Returns each layer, and whether it works here. */
  async walls(): Promise<readonly Wall[]> {
    return (await this.#open()).walls;
  }

  /** Returns the layers around a running plugin's process; empty without a process. */
  around(plugin: string): readonly WallName[] {
    return [...(this.#active.get(plugin) ?? [])].at(-1) ?? [];
  }

  /**
   * Prepares the isolation of the process of a plugin, or of a program with a name of its own; dispose it after the process has ended.
   *
   * @throws `plugin_not_contained`, or the program's own refusal, if a required layer doesn't work and the plugin is not trusted; an
   * error that names the fault of its folder.
   */
  async isolate(plugin: string, options: IsolationOptions): Promise<IsolatedProcess> {
    const isolation = await this.#open();
    const { program, trusted } = options;
    if (!trusted && !this.#options.trusted.includes(plugin)) assertContained(isolation.walls, program?.refusal ?? pluginRefusal(plugin));
    const isolated = await isolation.prepare(plugin, options);
    const walls = isolation.walls.filter(({ holds }) => holds).map(({ wall }) => wall);
    const all = this.#active.get(plugin) ?? new Set();
    this.#active.set(plugin, all.add(walls));
    const dispose = () => {
      all.delete(walls);
      return isolated.dispose();
    };
    return { ...isolated, dispose };
  }

  /**
   * Checks the layers; fails if this system could have a layer that it lacks. Without a layer it passes if the trusted plugins are the
   * only ones.
   *
   * @param plugins Ids of the installed plugins
   */
  async check(plugins: readonly string[]): Promise<CheckResult> {
    const missing = (await this.walls()).filter(({ holds }) => !holds);
    if (missing.length === 0) return { ok: true, message: `Plugins are isolated by ${wallNames.join(', ')}` };
    const missingWalls = missing.map(({ wall, why }) => `${wall} (${why})`).join('; ');
    const risks = missing.map(({ wall }) => riskWithout[wall]).join('; ');
    const needed = missing.some(({ wall }) => neededWalls.includes(wall));
    const only = needed ? ' Only plugins that plugins.trusted names run.' : '';
    if (process.platform !== 'linux') {
      return { ok: true, message: `This system has no walls around plugins beyond Node's permissions: a plugin could ${risks}.${only}` };
    }
    const message = `Walls around plugins do not hold: ${missingWalls}. A plugin could ${risks}.${only}`;
    if (this.#trustsAll(plugins)) return { ok: true, message: `${message} All installed plugins are trusted.` };
    const { fixOf } = await import('./fix.js');
    return { ok: false, message, fix: fixOf(missing) };
  }

  #trustsAll(plugins: readonly string[]): boolean {
    const { trusted } = this.#options;
    return trusted.length > 0 && plugins.every((id) => trusted.includes(id));
  }

  /** Disposes it. Call it after all processes have ended. */
  async dispose(): Promise<void> {
    (await this.#isolation)?.dispose();
  }

  #open(): Promise<Isolation> {
    // Without a handler this signal opens a debugger, which lets its sender run code in this process.
    if (!process.listeners('SIGUSR1').includes(ignore)) process.on('SIGUSR1', ignore);
    this.#isolation ??= import('./isolation.js').then(({ openIsolation }) => {
      return openIsolation({ data_dir: this.#options.data_dir, layers: this.#options.walls ?? wallNames });
    });
    return this.#isolation;
  }
}

function ignore(): void {
  // Keep a debugger that was requested by a flag.
}

function assertContained(walls: readonly Wall[], refusal: (missing: string) => Failure): void {
  const missing = walls.filter(({ wall, holds }) => !holds && neededWalls.includes(wall));
  if (missing.length > 0) throw refusal(missing.map(({ wall, why }) => `${wall} (${why})`).join('; '));
}

function pluginRefusal(plugin: string): (missing: string) => Failure {
  return (missing) =>
    fail(
      'plugin_not_contained',
      `Extension '${plugin}' may not run because walls around plugins do not hold here: ${missing}. ` +
        `See platform doctor, or trust its author and name it in plugins.trusted (PLATFORM_PLUGINS_TRUSTED=${plugin})`,
    );
}
