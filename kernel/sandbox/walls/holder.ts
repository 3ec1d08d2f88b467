import { chmod, chown, realpath } from 'node:fs/promises';
import type { Disposable } from '../../contract/extension.js';
import { type Command, sandboxCommand, surroundings } from '../command.js';
import { type Account, Accounts, freeIds } from './account.js';
import { checkedFolder } from './bundle-folder.js';
import { insideOf, type Probed, probe } from './probe.js';
import { View } from './view.js';
import { openViews } from './views-folder.js';
import type { Wall, WallName } from './wall.js';

export interface HoldOptions {
  /** The plugin's bundle; may be read. */
  folder: string;
  /** The plugin's own folder; may be read and written. */
  files: string;
  /** Where uploads lie; may be read. */
  spool: string;
  /** Of its heap. */
  memory_mb: number;
  /** Whether it may run where a needed wall is refused. */
  trusted: boolean;
}

/** All that is ready for a plugin's process. */
export interface Held extends Disposable {
  command: Command;
  /** Real paths, as the process sees them. */
  folder: string;
  files: string;
}

/** Builds the walls that were found to hold. */
export class Holder {
  readonly #probed: Probed;
  readonly #views: string;
  readonly #accounts = new Accounts();

  constructor(probed: Probed, views: string) {
    this.#probed = probed;
    this.#views = views;
  }

  get walls(): readonly Wall[] {
    return this.#probed.walls;
  }

  async hold(plugin: string, options: HoldOptions): Promise<Held> {
    const { means } = this.#probed;
    const files = await realpath(options.files);
    const spool = await realpath(options.spool);
    const account = means.user === 'account' ? await this.#accounts.take(plugin, files) : undefined;
    let view: View | undefined;
    const dispose = () => {
      view?.dispose();
      account?.release();
    };
    try {
      if (account) await lend(spool, account);
      const folder = means.folder ? await checkedFolder(options.folder, account?.uid) : await realpath(options.folder);
      if (means.view) {
        const { node, readable } = surroundings();
        const { proc } = means.view;
        const given = { readable: [...readable, folder, spool], writable: [files], programs: insideOf(means, node), proc };
        view = new View({ parent: this.#views, ...given });
      }
      const paths = { folder, files, spool };
      const command = sandboxCommand({ ...paths, memory_mb: options.memory_mb, means, uid: account?.uid, view });
      return { command, folder, files, dispose };
    } catch (fault) {
      dispose();
      throw fault;
    }
  }
}

/** Finds out once what holds here. */
export async function openHolder({ data_dir, wanted }: { data_dir: string; wanted: readonly WallName[] }): Promise<Holder> {
  const views = openViews(data_dir);
  const uid = process.getuid?.() === 0 ? (await freeIds())[0] : undefined;
  return new Holder(await probe({ wanted, readable: surroundings().readable, uid, views }), views);
}

/** What lies in the folder of uploads may be read by the process's user too. */
async function lend(spool: string, { uid }: Account): Promise<void> {
  await chown(spool, 0, uid);
  await chmod(spool, 0o750);
}
