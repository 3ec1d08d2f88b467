import type { WhereOptions } from 'sequelize';
import type { Database } from '../../../kernel/contract/index.js';
import type { MemberRow, Models } from '../models.js';
import { memberStatements } from './members-sql.js';
import { nameKeyOf, searchOf } from './names.js';

/** Columns that stay inside the store. */
type Internal = 'password_hash' | 'username_key' | 'search' | 'name_key' | 'email_key';

export const withoutInternal = {
  attributes: { exclude: ['password_hash', 'username_key', 'search', 'name_key', 'email_key'] satisfies Internal[] as string[] },
  raw: true,
};

/** Member as the rules see it. */
export type StoredMember = Omit<MemberRow, Internal>;

export type NewRow = Pick<StoredMember, 'username' | 'nickname' | 'role' | 'is_virtual' | 'remote_node_id' | 'created_at'> &
  Partial<Pick<StoredMember, 'post' | 'mode' | 'first_password' | 'active' | 'email'>> & {
    password_hash: string | null;
    plugin?: string;
  };

export type MemberUpdate = Partial<Pick<StoredMember, 'nickname' | 'role' | 'remote_node_id' | 'post' | 'mode' | 'active' | 'email'>>;

/** Password hash to check, and the version at which it was valid. */
export type Credentials = Pick<MemberRow, 'id' | 'username' | 'version' | 'active' | 'password_hash'>;

/** Ids in one statement; SQLite's oldest builds accept 999 parameters. */
const batch_size = 500;

export class MemberStore {
  readonly #model: Models['members'];
  readonly #sql: ReturnType<typeof memberStatements>;

  constructor(db: Database, model: Models['members']) {
    this.#model = model;
    this.#sql = memberStatements(db, model);
  }

  byId(id: number): Promise<StoredMember | undefined> {
    return this.#sql.byId(id);
  }

  async byIds(ids: readonly number[]): Promise<StoredMember[]> {
    const wanted = [...new Set(ids)].sort((a, b) => a - b);
    const found: StoredMember[] = [];
    for (let start = 0; start < wanted.length; start += batch_size)
      found.push(...(await this.#sql.byIds(wanted.slice(start, start + batch_size))));
    return found;
  }

  /** Finds a plugin's member. */
  async byPlugin(plugin: string): Promise<StoredMember | undefined> {
    return (await this.#model.findOne({ ...withoutInternal, where: { plugin } })) ?? undefined;
  }

  /** Returns what a login needs, by user name in any case. */
  async credentials(username: string): Promise<Credentials | undefined> {
    const attributes = ['id', 'username', 'version', 'active', 'password_hash'];
    return (await this.#model.findOne({ attributes, where: { username_key: username.toLowerCase() }, raw: true })) ?? undefined;
  }

  /** Finds the member with an e-mail address, in any case. */
  async byEmail(email: string): Promise<StoredMember | undefined> {
    return (await this.#model.findOne({ ...withoutInternal, where: { email_key: email.toLowerCase() } })) ?? undefined;
  }

  /** Finds the members with one of the user names, in any case. */
  named(usernames: readonly string[]): Promise<StoredMember[]> {
    return this.#ordered({ username_key: usernames.map((name) => name.toLowerCase()) });
  }

  /** Locks the member until the end of the current transaction. */
  async lock(id: number): Promise<StoredMember | undefined> {
    return (await this.#model.findOne({ ...withoutInternal, where: { id }, lock: true })) ?? undefined;
  }

  /** Lists the AI employees bound to a node. */
  onNode(remote_node_id: number): Promise<StoredMember[]> {
    return this.#ordered({ is_virtual: true, remote_node_id });
  }

  virtuals(): Promise<StoredMember[]> {
    return this.#ordered({ is_virtual: true, plugin: null });
  }

  async firstAdmin(): Promise<StoredMember | undefined> {
    const [first] = await this.#ordered(activeAdmins, 1);
    return first;
  }

  admins(): Promise<StoredMember[]> {
    return this.#ordered(activeAdmins);
  }

  /** Returns whether an administrator still has the generated password of the first start. */
  async hasFirstPassword(): Promise<boolean> {
    return (await this.#model.findOne({ attributes: ['id'], where: { first_password: true }, raw: true })) !== null;
  }

  /** Counts active members, without plugins' members. */
  async counts(): Promise<{ humans: number; admins: number; virtuals: number }> {
    const [people, virtuals] = [
      { is_virtual: false, plugin: null, active: true },
      { is_virtual: true, plugin: null, active: true },
    ];
    const [humans, admins, employees] = await Promise.all([
      this.#model.count({ where: people }),
      this.#model.count({ where: { ...people, role: 'admin' } }),
      this.#model.count({ where: virtuals }),
    ]);
    return { humans, admins, virtuals: employees };
  }

  /** Returns the user names, in lower case, that equal or start with `username`. */
  async namesLike(username: string): Promise<Set<string>> {
    const key = username.toLowerCase();
    const rows = await this.#sql.namesBetween(key, `${key}\u{10FFFF}`);
    return new Set(rows.map((row) => row.username_key));
  }

  async insert({ password_hash, ...row }: NewRow): Promise<StoredMember> {
    const defaults = { post: '', mode: 'assistant' as const, first_password: false, plugin: null, active: true, email: null };
    const full = { ...defaults, ...row, version: 1 };
    const keys = {
      username_key: row.username.toLowerCase(),
      search: searchOf(row),
      name_key: nameKeyOf(row.nickname),
      email_key: keyOf(full.email),
    };
    const { id } = await this.#model.create({ ...full, ...keys, password_hash });
    return { ...full, id };
  }

  async update(member: StoredMember, change: MemberUpdate): Promise<StoredMember> {
    const changed = { ...member, ...change };
    const { id, nickname, role, remote_node_id, post, mode, active, email } = changed;
    const keys = { search: searchOf(changed), name_key: nameKeyOf(nickname), email_key: keyOf(email) };
    await this.#model.update({ nickname, role, remote_node_id, post, mode, active, email, ...keys }, { where: { id } });
    return changed;
  }

  async setPassword(id: number, password_hash: string): Promise<void> {
    await this.#model.update({ password_hash, first_password: false }, { where: { id } });
  }

  /** Replaces the hash of an unchanged password, unless the password was changed meanwhile. */
  async rehash(id: number, before: string, after: string): Promise<void> {
    await this.#model.update({ password_hash: after }, { where: { id, password_hash: before } });
  }

  /** Increments the version, which invalidates every token with an earlier one. */
  async incrementVersion(id: number): Promise<void> {
    await this.#model.increment('version', { where: { id } });
  }

  async delete(id: number): Promise<void> {
    await this.#model.destroy({ where: { id } });
  }

  /** Sets the sort keys of members that were added before there were any. */
  async fillNameKeys(): Promise<void> {
    const missing = { attributes: ['id', 'nickname'], where: { name_key: null }, limit: batch_size, raw: true };
    for (;;) {
      const some = await this.#model.findAll(missing);
      if (some.length === 0) return;
      await this.#sql.setNameKeys(some.map(({ id, nickname }) => [id, nameKeyOf(nickname)]));
    }
  }

  #ordered(where: WhereOptions<MemberRow>, limit?: number): Promise<StoredMember[]> {
    return this.#model.findAll({ ...withoutInternal, where, order: ['id'], ...(limit && { limit }) });
  }
}

function keyOf(email: string | null): string | null {
  return email === null ? null : email.toLowerCase();
}

const activeAdmins = { role: 'admin', is_virtual: false, active: true } as const;
