import { createHash } from 'node:crypto';
import { lchown, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { entriesBelow } from '../../files/entries-below.js';

/** User ids that belong to nobody: neither people nor services nor containers are given these. */
const first_uid = 1_900_000_000;
/** Where a container knows no such ids: above those of people, below `nobody`. */
const first_small_uid = 64_200;
const max_accounts = 1_024;

export interface Account {
  uid: number;
  /** The last version of the plugin that uses it gives it back. */
  release(): void;
}

interface Taken {
  uid: number;
  users: number;
}

/** One user id for each plugin, out of a bounded range, while it runs. */
export class Accounts {
  readonly #taken = new Map<string, Taken>();
  #ids: Promise<readonly number[]> | undefined;

  /**
   * The plugin's account, the same as before where it can be; its folder becomes that user's.
   *
   * @param files The plugin's own folder, beside those of others. Where nobody owns it yet the account follows from its path: so the plugins
   * of two platforms on one machine mostly have different ones, and the processes of one neither count for the limits of the other nor
   * reach it by signals.
   */
  async take(plugin: string, files: string): Promise<Account> {
    const taken = this.#taken.get(plugin) ?? { uid: await this.#choose(files), users: 0 };
    // Another start of the same plugin may have come here meanwhile.
    const kept = this.#taken.get(plugin) ?? taken;
    this.#taken.set(plugin, kept);
    kept.users += 1;
    const release = () => this.#release(plugin, kept);
    try {
      await give(files, kept.uid);
    } catch (fault) {
      release();
      throw fault;
    }
    return { uid: kept.uid, release };
  }

  #release(plugin: string, taken: Taken): void {
    taken.users -= 1;
    if (taken.users === 0) this.#taken.delete(plugin);
  }

  async #choose(files: string): Promise<number> {
    this.#ids ??= freeIds();
    const ids = await this.#ids;
    const [before, others] = await Promise.all([ownerOf(files), ownersBeside(files)]);
    const inUse = new Set([...this.#taken.values()].map(({ uid }) => uid));
    if (ids.includes(before) && !inUse.has(before) && !others.has(before)) return before;
    const start = createHash('sha256').update(files).digest().readUInt32BE(0) % ids.length;
    const free = [...ids.slice(start), ...ids.slice(0, start)].find((uid) => !inUse.has(uid) && !others.has(uid));
    if (free === undefined) throw new Error(`All ${ids.length} user ids for plugins are in use`);
    return free;
  }
}

/** The ids of the range that this user namespace knows and nobody's account has. */
export async function freeIds(map = '/proc/self/uid_map', accounts = '/etc/passwd'): Promise<readonly number[]> {
  const lines = (await readFile(map, 'utf8').catch(() => '0 0 4294967295')).trim().split('\n');
  const knows = (uid: number) =>
    lines.some((line) => {
      const [inside = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
      return uid >= inside && uid < inside + count;
    });
  const names = await readFile(accounts, 'utf8').catch(() => '');
  const owned = new Set(names.split('\n').map((line) => Number(line.split(':')[2])));
  const first = knows(first_uid) ? first_uid : first_small_uid;
  return Array.from({ length: max_accounts }, (_, n) => first + n).filter((uid) => knows(uid) && !owned.has(uid));
}

async function ownerOf(path: string): Promise<number> {
  return (await stat(path)).uid;
}

async function ownersBeside(files: string): Promise<ReadonlySet<number>> {
  const folder = dirname(files);
  const others = (await readdir(folder)).map((name) => join(folder, name)).filter((path) => path !== files);
  return new Set(await Promise.all(others.map((path) => ownerOf(path).catch(() => -1))));
}

/** Makes the folder and all in it the user's, following no links. */
async function give(folder: string, uid: number): Promise<void> {
  if ((await ownerOf(folder)) === uid) return;
  for (const { parentPath, name } of await entriesBelow(folder)) await lchown(join(parentPath, name), uid, uid);
  // Last, as the sign that all is done.
  await lchown(folder, uid, uid);
}
