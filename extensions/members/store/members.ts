import type { Database, Role } from '../../../kernel/contract/index.js';
import type { Member, Mode } from '../contract.js';
import { nameKeyOf, searchOf } from './names.js';
import { insertNumbered, placeholders, read } from './sql.js';

/** A member as it is stored: the record, what only AI employees have, and what stays inside. */
export interface StoredMember extends Member {
  post: string;
  mode: Mode;
  /** Rises with each change that ends the member's tokens. */
  version: number;
  /** Whether the generated password of the first start still holds. */
  first_password: boolean;
  /** The plugin of a third party whose own member it is; null for all others. */
  plugin: string | null;
}

export type NewRow = Pick<StoredMember, 'username' | 'nickname' | 'role' | 'is_virtual' | 'remote_node_id' | 'created_at'> &
  Partial<Pick<StoredMember, 'post' | 'mode' | 'first_password'>> & {
    password_hash: string | null;
    plugin?: string;
  };

export type MemberUpdate = Partial<Pick<StoredMember, 'nickname' | 'role' | 'remote_node_id' | 'post' | 'mode' | 'active'>>;

/** What a password is checked against, and the version at which it held. */
export interface Credentials {
  id: number;
  username: string;
  version: number;
  active: boolean;
  password_hash: string | null;
}

export const fields =
  'id, username, nickname, role, is_virtual, active, remote_node_id, created_at, post, mode, version, first_password, plugin';
/** Neither people's nor AI employees', but a plugin's. */
const own = 'plugin IS NULL';
/** Ids asked for in one statement; SQLite takes 999 parameters in its oldest builds. */
const portion = 500;

export class MemberStore {
  readonly #db: Database;
  readonly #byId;
  readonly #byPlugin;
  readonly #credentials;
  readonly #virtuals;
  readonly #firstAdmin;
  readonly #admins;
  readonly #counts;
  readonly #similar;

  constructor(db: Database) {
    this.#db = db;
    this.#byId = read<StoredMember>(db, `SELECT ${fields} FROM members_members WHERE id = $1`);
    this.#byPlugin = read<StoredMember>(db, `SELECT ${fields} FROM members_members WHERE plugin = $1`);
    this.#credentials = read<Credentials>(
      db,
      'SELECT id, username, version, active, password_hash FROM members_members WHERE username_key = $1',
    );
    this.#virtuals = read<StoredMember>(db, `SELECT ${fields} FROM members_members WHERE is_virtual = $1 AND ${own} ORDER BY id`);
    this.#firstAdmin = read<StoredMember>(
      db,
      `SELECT ${fields} FROM members_members WHERE role = 'admin' AND is_virtual = $1 AND active = $2 ORDER BY id LIMIT 1`,
    );
    this.#admins = read<StoredMember>(
      db,
      `SELECT ${fields} FROM members_members WHERE role = 'admin' AND is_virtual = $1 AND active = $2 ORDER BY id`,
    );
    this.#counts = read<{ is_virtual: boolean; role: Role; count: number }>(
      db,
      `SELECT is_virtual, role, CAST(COUNT(*) AS INTEGER) AS count FROM members_members WHERE ${own} AND active = $1 GROUP BY is_virtual, role`,
    );
    // By code points, as the names are sorted in the index: `LIKE` reads all of them.
    const key = db.dialect === 'postgres' ? 'username_key COLLATE "C"' : 'username_key';
    this.#similar = read<{ username_key: string }>(db, `SELECT username_key FROM members_members WHERE ${key} >= $1 AND ${key} < $2`);
  }

  async byId(id: number): Promise<StoredMember | undefined> {
    const [row] = await this.#byId(id);
    return row && stored(row);
  }

  async byIds(ids: readonly number[]): Promise<StoredMember[]> {
    const wanted = [...new Set(ids)].sort((a, b) => a - b);
    const found: StoredMember[] = [];
    for (let start = 0; start < wanted.length; start += portion) {
      const some = wanted.slice(start, start + portion);
      const sql = `SELECT ${fields} FROM members_members WHERE id IN (${placeholders(some.length)}) ORDER BY id`;
      found.push(...(await this.#db.rows<StoredMember>(sql, some)).map(stored));
    }
    return found;
  }

  /** A plugin's own member. */
  async byPlugin(plugin: string): Promise<StoredMember | undefined> {
    const [row] = await this.#byPlugin(plugin);
    return row && stored(row);
  }

  /** What a login needs; the name in any case. */
  async credentials(username: string): Promise<Credentials | undefined> {
    const [row] = await this.#credentials(username.toLowerCase());
    return row && { ...row, active: Boolean(row.active) };
  }

  /** Finds the members with one of the user names, in any case. */
  async named(usernames: readonly string[]): Promise<StoredMember[]> {
    if (usernames.length === 0) return [];
    const keys = usernames.map((name) => name.toLowerCase());
    const places = keys.map((_key, index) => `$${index + 1}`).join();
    const sql = `SELECT ${fields} FROM members_members WHERE username_key IN (${places}) ORDER BY id`;
    return (await this.#db.rows<StoredMember>(sql, keys)).map(stored);
  }

  /** The member, held as it is until the transaction that runs has ended. */
  async hold(id: number): Promise<StoredMember | undefined> {
    const [row] = await this.#db.rows<StoredMember>(`SELECT ${fields} FROM members_members WHERE id = $1 FOR UPDATE`, [id]);
    return row && stored(row);
  }

  /** The AI employees that are bound to a node. */
  async onNode(node_id: number): Promise<StoredMember[]> {
    const sql = `SELECT ${fields} FROM members_members WHERE is_virtual = $1 AND remote_node_id = $2 ORDER BY id`;
    return (await this.#db.rows<StoredMember>(sql, [true, node_id])).map(stored);
  }

  async virtuals(): Promise<StoredMember[]> {
    return (await this.#virtuals(true)).map(stored);
  }

  async firstAdmin(): Promise<StoredMember | undefined> {
    const [row] = await this.#firstAdmin(false, true);
    return row && stored(row);
  }

  async admins(): Promise<StoredMember[]> {
    return (await this.#admins(false, true)).map(stored);
  }

  /** Whether an administrator still has the generated password of the first start. */
  async firstPasswordHolds(): Promise<boolean> {
    return (await this.#db.rows('SELECT id FROM members_members WHERE first_password = $1', [true])).length > 0;
  }

  /** Counts active members. */
  async counts(): Promise<{ humans: number; admins: number; virtuals: number }> {
    const counts = { humans: 0, admins: 0, virtuals: 0 };
    for (const { is_virtual, role, count } of await this.#counts(true)) {
      counts[is_virtual ? 'virtuals' : 'humans'] += count;
      if (!is_virtual && role === 'admin') counts.admins += count;
    }
    return counts;
  }

  /** The names in use, in lower case, that are `username` or start with it. */
  async namesLike(username: string): Promise<Set<string>> {
    const key = username.toLowerCase();
    const rows = await this.#similar(key, `${key}\u{10FFFF}`);
    return new Set(rows.map((row) => row.username_key));
  }

  async insert(row: NewRow): Promise<StoredMember> {
    const full = { post: '', mode: 'assistant' as const, first_password: false, plugin: null, active: true, ...row, version: 1 };
    const names = { username_key: row.username.toLowerCase(), search: searchOf(row), name_key: nameKeyOf(row.nickname) };
    const id = await insertNumbered(this.#db, 'members_members', { ...full, ...names });
    return stored({ ...full, id });
  }

  async update(member: StoredMember, change: MemberUpdate): Promise<StoredMember> {
    const changed = { ...member, ...change };
    const { id, nickname, role, remote_node_id, post, mode, active } = changed;
    const sql =
      'UPDATE members_members SET nickname = $2, role = $3, remote_node_id = $4, post = $5, mode = $6, search = $7, name_key = $8, active = $9 WHERE id = $1';
    await this.#db.run(sql, [id, nickname, role, remote_node_id, post, mode, searchOf(changed), nameKeyOf(nickname), active]);
    return changed;
  }

  async setPassword(id: number, password_hash: string): Promise<void> {
    await this.#db.run('UPDATE members_members SET password_hash = $2, first_password = $3 WHERE id = $1', [id, password_hash, false]);
  }

  /** Replaces the hash of a password that stays, unless it was changed meanwhile. */
  async rehash(id: number, before: string, after: string): Promise<void> {
    await this.#db.run('UPDATE members_members SET password_hash = $3 WHERE id = $1 AND password_hash = $2', [id, before, after]);
  }

  /** Makes every token that names an earlier version invalid. */
  async raiseVersion(id: number): Promise<void> {
    await this.#db.run('UPDATE members_members SET version = version + 1 WHERE id = $1', [id]);
  }

  async delete(id: number): Promise<void> {
    await this.#db.run('DELETE FROM members_members WHERE id = $1', [id]);
  }
}

/** SQLite gives booleans as 0 and 1. The row may carry more than the record; this doesn't. */
export function stored(row: StoredMember): StoredMember {
  const { id, username, nickname, role, remote_node_id, created_at, post, mode, version, plugin } = row;
  const is_virtual = Boolean(row.is_virtual);
  const first_password = Boolean(row.first_password);
  const active = Boolean(row.active);
  return { id, username, nickname, role, is_virtual, active, remote_node_id, created_at, post, mode, version, first_password, plugin };
}
