import { createHash } from 'node:crypto';
import { lchown, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { entriesBelow } from '../../files/entries-below.js';

/** First user id of an unused range: not assigned to people, services or containers. */
const first_uid = 1_900_000_000;
/** First user id if a container has no such ids: above those of people, below `nobody`. */
const first_small_uid = 64_200;
const max_accounts = 1_024;

export interface Account {
  uid: number;
  /** Releases the account when the last version of the plugin has ended. */
  release(): void;
}

interface Assignment {
  uid: number;
  users: number;
}

/** Assigns a user id from a limited range to each running plugin. */
export class Accounts {
  readonly #assignments = new Map<string, Assignment>();
  #ids: Promise<readonly number[]> | undefined;

  /**
   * Assigns an account to a plugin, the same as before if possible, and makes it the owner of the plugin's folder.
   *
   * @param files The plugin's own folder, beside those of others. Without an owner yet, the account is derived from its path: so the plugins
   * of two platforms on one machine mostly have different accounts, and their processes don't share limits or send each other
   * signals.
   */
  async assign(plugin: string, files: string): Promise<Account> {
    const chosen = this.#assignments.get(plugin) ?? { uid: await this.#choose(files), users: 0 };
    // Another start of the same plugin may have been faster.
    const assigned = this.#assignments.get(plugin) ?? chosen;
    this.#assignments.set(plugin, assigned);
    assigned.users += 1;
    const release = () => this.#release(plugin, assigned);
    try {
      await changeOwner(files, assigned.uid);
    } catch (fault) {
      release();
      throw fault;
    }
    return { uid: assigned.uid, release };
  }

  #release(plugin: string, assignment: Assignment): void {
    assignment.users -= 1;
    if (assignment.users === 0) this.#assignments.delete(plugin);
  }

  async #choose(files: string): Promise<number> {
    this.#ids ??= freeIds();
    const ids = await this.#ids;
    const [owner, others] = await Promise.all([ownerOf(files), ownersBeside(files)]);
    const inUse = new Set([...this.#assignments.values()].map(({ uid }) => uid));
    if (ids.includes(owner) && !inUse.has(owner) && !others.has(owner)) return owner;
    const start = createHash('sha256').update(files).digest().readUInt32BE(0) % ids.length;
    const free = [...ids.slice(start), ...ids.slice(0, start)].find((uid) => !inUse.has(uid) && !others.has(uid));
    if (free === undefined) throw new Error(`All ${ids.length} user ids for plugins are in use`);
    return free;
  }
}

/** Returns the ids of the range that exist in this user namespace and are not in use. */
export async function freeIds(map = '/proc/self/uid_map', accounts = '/etc/passwd'): Promise<readonly number[]> {
  const lines = (await readFile(map, 'utf8').catch(() => '0 0 4294967295')).trim().split('\n');
  const isMapped = (uid: number) =>
    lines.some((line) => {
      const [inside = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
      return uid >= inside && uid < inside + count;
    });
  const names = await readFile(accounts, 'utf8').catch(() => '');
  const owned = new Set(names.split('\n').map((line) => Number(line.split(':')[2])));
  const first = isMapped(first_uid) ? first_uid : first_small_uid;
  return Array.from({ length: max_accounts }, (_, n) => first + n).filter((uid) => isMapped(uid) && !owned.has(uid));
}

async function ownerOf(path: string): Promise<number> {
  return (await stat(path)).uid;
}

async function ownersBeside(files: string): Promise<ReadonlySet<number>> {
  const folder = dirname(files);
  const others = (await readdir(folder)).map((name) => join(folder, name)).filter((path) => path !== files);
  return new Set(await Promise.all(others.map((path) => ownerOf(path).catch(() => -1))));
}

/** Changes the owner of a folder and its content, without following links. */
async function changeOwner(folder: string, uid: number): Promise<void> {
  if ((await ownerOf(folder)) === uid) return;
  for (const { parentPath, name } of await entriesBelow(folder)) await lchown(join(parentPath, name), uid, uid);
  // Last, because the folder's owner marks the change as complete.
  await lchown(folder, uid, uid);
}
