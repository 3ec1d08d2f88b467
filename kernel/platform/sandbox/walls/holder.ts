import { lstatSync, mkdirSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { chmod, chown, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disposable } from '../../../contract/extension.js';
import { type Command, type Surroundings, sandboxCommand, surroundings } from '../command.js';
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
    const found = lstatSync(path);
    if (device !== undefined && found.dev !== device) return;
    if (!found.isDirectory()) {
      if (found.size === 0 || path.endsWith('.mounts')) unlinkSync(path);
      return;
    }
    for (const name of readdirSync(path)) clear(join(path, name), found.dev);
    rmdirSync(path);
  } catch {
    // Another process removes it, or a later run.
  }
}

export interface HoldOptions {
  /** The plugin's bundle, read-only. */
  folder: string;
  /** The plugin's own folder, writable. */
  files: string;
  /** Folder of uploads, read-only. */
  spool: string;
  /** Limit of its heap. */
  memory_mb: number;
  /** Whether it may run without a required layer. */
  trusted: boolean;
}

/** Everything prepared for a plugin's process. */
export interface Held extends Disposable {
  command: Command;
  /** Real paths, as the process sees them. */
  folder: string;
  files: string;
}

/** Sets up the isolation layers that work here. */
export class Holder implements Disposable {
  readonly #probed: Probed;
  readonly #surroundings: Surroundings;
  readonly #views: Views | undefined;
  readonly #accounts = new Accounts();

  constructor(probed: Probed, around: Surroundings, views: Views | undefined) {
    this.#probed = probed;
    this.#surroundings = around;
    this.#views = views;
  }

  get walls(): readonly Wall[] {
    return this.#probed.walls;
  }

  async hold(plugin: string, options: HoldOptions): Promise<Held> {
    const { means } = this.#probed;
    const [files, spool] = await Promise.all([realpath(options.files), realpath(options.spool)]);
    const account = means.user === 'account' ? await this.#accounts.take(plugin, files) : undefined;
    let view: View | undefined;
    const dispose = async () => {
      await view?.dispose();
      account?.release();
    };
    try {
      if (account) await lend(spool, account);
      const folder = means.folder ? await checkedFolder(options.folder, account?.uid) : await realpath(options.folder);
      view = this.#views?.open({ readable: [folder, spool], writable: [files] });
      const parts = { folder, files, spool, memory_mb: options.memory_mb, means, uid: account?.uid, view };
      return { command: sandboxCommand(this.#surroundings, parts), folder, files, dispose };
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
export async function openHolder({ data_dir, wanted }: { data_dir: string; wanted: readonly WallName[] }): Promise<Holder> {
  const parent = openViews(data_dir);
  const around = surroundings();
  const { node, readable } = around;
  const uid = process.getuid?.() === 0 ? (await freeIds())[0] : undefined;
  const probed = await probe({ wanted, readable, uid, views: parent });
  const { means } = probed;
  const views = means.view && new Views({ parent, readable, programs: insideOf(means, node), proc: means.view.proc });
  return new Holder(probed, around, views);
}

/** Makes the folder of uploads readable for the process's user. */
async function lend(spool: string, { uid }: Account): Promise<void> {
  await chown(spool, 0, uid);
  await chmod(spool, 0o750);
}
