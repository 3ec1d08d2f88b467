import { lstatSync, mkdirSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { chmod, chown, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disposable } from '../../../contract/extension.js';
import type { Failure } from '../../../contract/failure.js';
import { type Command, type RuntimePaths, runtimePaths, sandboxCommand } from '../command.js';
import { isInUse } from '../in-use.js';
import { type Account, Accounts, freeIds } from './account.js';
import { checkedFolder } from './bundle-folder.js';
import { insideOf, type Probed, probe } from './probe.js';
import { type View, Views } from './views.js';
import type { Wall, WallName } from './wall.js';

/** Opens the folder of views, and removes those of killed processes. */
export function openViews(data_dir: string): string {
  const folder = join(data_dir, 'views');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) if (!isInUse(name, Number.parseInt(name, 10))) clear(join(folder, name));
  return folder;
}

/** Removes empty files and folders of this file system only: a view contains only mount points. */
function clear(path: string, device?: number): void {
  try {
    const stats = lstatSync(path);
    if (device !== undefined && stats.dev !== device) return;
    if (!stats.isDirectory()) {
      if (stats.size === 0 || path.endsWith('.mounts')) unlinkSync(path);
      return;
    }
    for (const name of readdirSync(path)) clear(join(path, name), stats.dev);
    rmdirSync(path);
  } catch {
    // Another process removes it, or a later run.
  }
}

/** A program of the platform that runs behind the walls instead of a plugin. It writes nowhere. */
export interface WalledProgram {
  /** Its file, a real path. */
  main: string;
  /** Real paths that it reads, such as packages. */
  readable: readonly string[];
  /** File that it and its worker threads load first, in its folder. Without one Node's permissions forbid it worker threads. */
  preload?: string;
  /** Returns the failure if required layers, which it names, don't work here. */
  refusal: (missing: string) => Failure;
}

export interface IsolationOptions {
  /** The plugin's bundle, or the folder of the program; read-only. */
  folder: string;
  /** The plugin's own folder, writable. The user of a program owns it, but the program doesn't see it. */
  files: string;
  /** Folder of uploads, read-only. */
  spool: string;
  /** The program that runs. Default: that of a plugin's process. */
  program?: WalledProgram;
  /** Limit of its heap. */
  memory_mb: number;
  /** Limit of its memory beside the heap. Default as for plugins. */
  beside_heap_mb?: number;
  /** Whether it may run without a required layer. */
  trusted: boolean;
}

/** Everything prepared for a process behind walls. */
export interface IsolatedProcess extends Disposable {
  command: Command;
  /** Real paths, as the process sees them. */
  folder: string;
  files: string;
}

/** Sets up the isolation layers that work here. */
export class Isolation implements Disposable {
  readonly #probed: Probed;
  readonly #paths: RuntimePaths;
  readonly #views: Views | undefined;
  readonly #accounts = new Accounts();

  constructor(probed: Probed, paths: RuntimePaths, views: Views | undefined) {
    this.#probed = probed;
    this.#paths = paths;
    this.#views = views;
  }

  get walls(): readonly Wall[] {
    return this.#probed.walls;
  }

  async prepare(plugin: string, options: IsolationOptions): Promise<IsolatedProcess> {
    const { mechanisms } = this.#probed;
    const [files, spool] = await Promise.all([realpath(options.files), realpath(options.spool)]);
    const account = mechanisms.user === 'account' ? await this.#accounts.assign(plugin, files) : undefined;
    let view: View | undefined;
    const dispose = async () => {
      await view?.dispose();
      account?.release();
    };
    try {
      if (account) await allowRead(spool, account);
      const folder = mechanisms.folder ? await checkedFolder(options.folder, account?.uid) : await realpath(options.folder);
      const { program, memory_mb, beside_heap_mb } = options;
      const own = { readable: [folder, spool, ...(program?.readable ?? [])], writable: program ? [] : [files] };
      view = this.#views?.open(own);
      const parts = {
        ...own,
        program: program?.main,
        preload: program?.preload,
        memory_mb,
        beside_heap_mb,
        mechanisms,
        uid: account?.uid,
        view,
      };
      return { command: sandboxCommand(this.#paths, parts), folder, files, dispose };
    } catch (fault) {
      await dispose();
      throw fault;
    }
  }

  dispose(): void {
    this.#views?.dispose();
  }
}

/** Probes once which layers work here. */
export async function openIsolation({ data_dir, layers }: { data_dir: string; layers: readonly WallName[] }): Promise<Isolation> {
  const parent = openViews(data_dir);
  const paths = runtimePaths();
  const { node, readable } = paths;
  const uid = process.getuid?.() === 0 ? (await freeIds())[0] : undefined;
  const probed = await probe({ layers, readable, uid, views: parent });
  const { mechanisms } = probed;
  const views = mechanisms.view && new Views({ parent, readable, programs: insideOf(mechanisms, node), proc: mechanisms.view.proc });
  return new Isolation(probed, paths, views);
}

/** Makes the folder of uploads readable for the process's user. */
async function allowRead(spool: string, { uid }: Account): Promise<void> {
  await chown(spool, 0, uid);
  await chmod(spool, 0o750);
}
