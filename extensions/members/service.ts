import { type Caller, type Context, fail as coreFail, type Door } from '../../kernel/contract/index.js';
import { callerOf } from './caller.js';
import { fail } from './codes.js';
import type {
  EndsWorkOf,
  Member,
  MemberChange,
  MemberPage,
  MemberQuery,
  Members,
  NameQuery,
  NewMember,
  NodeDirectory,
  Seats,
} from './contract.js';
import { assertPassword } from './password-text.js';
import type { Passwords } from './passwords.js';
import { toFullRecord, toRecord } from './record.js';
import type { Revocation } from './revocation.js';
import type { Settings } from './settings.js';
import type { NewRow, StoredMember } from './store/members.js';
import type { Store } from './store.js';
import { allowedUsername, freeUsername, isReserved } from './username.js';

/** Lock name: creating, changing and deleting members is serialised, so that seats, names and administrators are counted correctly. */
export const members_lock = 'members';

interface Parts {
  store: Store;
  passwords: Passwords;
  revocation: Revocation;
  settings: Settings;
  ctx: Pick<Context<Members>, 'about' | 'clock' | 'emit' | 'find' | 'log' | 'slot'>;
}

/** Reads and changes members, and enforces their rules. */
export class MemberRules {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns a page of members with their e-mail addresses. */
  async list({ page = 1, page_size = 20, keyword = '', username, is_virtual, active }: MemberQuery): Promise<MemberPage> {
    const filter = { keyword, username, is_virtual, active, limit: page_size, offset: (page - 1) * page_size };
    const { items, total } = await this.#parts.store.directory.page(filter);
    return { items: items.map(toFullRecord), total, page, page_size };
  }

  async get(id: number): Promise<Member | undefined> {
    const member = await this.#parts.store.members.byId(id);
    return member && toRecord(member);
  }

  async require(id: number): Promise<Member> {
    return toRecord(await this.stored(id));
  }

  /** Returns a member with its e-mail address. Fails with `member_not_found`. */
  async full(id: number): Promise<Member> {
    return toFullRecord(await this.stored(id));
  }

  async byIds(ids: readonly number[]): Promise<Member[]> {
    return (await this.#parts.store.members.byIds(ids)).map(toRecord);
  }

  async byName({ keyword = '', except = [], limit, offset }: NameQuery): Promise<Member[]> {
    return (await this.#parts.store.directory.byName({ keyword, except, limit, offset })).map(toRecord);
  }

  async named(usernames: readonly string[]): Promise<Member[]> {
    return (await this.#parts.store.members.named(usernames.slice(0, 100))).map(toRecord);
  }

  async matching(ids: readonly number[], keyword: string): Promise<ReadonlySet<number>> {
    return this.#parts.store.directory.matching(ids, keyword);
  }

  async defaultAdmin(): Promise<Member> {
    const admin = await this.#parts.store.members.firstAdmin();
    if (!admin) throw fail('member_not_found', 'There is no administrator yet; the first start creates one');
    return toRecord(admin);
  }

  async admins(): Promise<Member[]> {
    return (await this.#parts.store.members.admins()).map(toRecord);
  }

  async caller(member_id: number, door: Door): Promise<Caller> {
    const member = await this.stored(member_id);
    if (!member.active) throw fail('member_not_found', `Member ${member_id} is not active`);
    return callerOf(member, door);
  }

  async seats(): Promise<Seats> {
    const { humans, virtuals } = await this.#parts.store.members.counts();
    return { used: humans, limit: this.#parts.settings.seats, ai_employees: virtuals };
  }

  async create(member: NewMember): Promise<Member> {
    const { password, is_virtual = false, nickname = member.username, role = 'member', remote_node_id = null, email = null } = member;
    if (!is_virtual) {
      if (password === undefined) throw invalid('password', 'A person needs a password of 8 to 256 characters');
      const person = await this.personRow({ username: member.username, nickname, password });
      return toFullRecord(await this.insert(async () => ({ ...person, role, remote_node_id, email })));
    }
    assertUsername(member.username);
    if (role !== 'member') throw invalid('role', 'An AI employee is always a member, never an administrator');
    if (email !== null) throw invalid('email', 'Only a person has an e-mail address');
    const row = { username: member.username, nickname, role, is_virtual, remote_node_id, password_hash: null };
    return toFullRecord(await this.insert(async () => row));
  }

  /** Validates the names and the password of a new person, and hashes the password. */
  async personRow({ username, nickname = username, password }: { username: string; nickname?: string; password: string }) {
    assertUsername(username);
    assertPassword(password, 'password');
    const password_hash = await this.#parts.passwords.hash(password);
    return { username, nickname, role: 'member' as const, is_virtual: false, remote_node_id: null, password_hash };
  }

  async createInactive({ username: wanted, nickname }: { username: string; nickname: string }): Promise<Member> {
    const base = allowedUsername(wanted);
    const choose = async () => {
      const username = freeUsername(base, await this.#parts.store.members.namesLike(base));
      const row = { username, nickname: nickname || username, role: 'member' as const, is_virtual: false, remote_node_id: null };
      return { ...row, password_hash: null, active: false };
    };
    return toRecord(await this.insert(choose));
  }

  /** Inserts the member returned by `choose`, which runs while nobody else is being added. */
  async insert(choose: () => Promise<Omit<NewRow, 'created_at'>>): Promise<StoredMember> {
    const { store, ctx } = this.#parts;
    return store.exclusive(members_lock, async () => {
      const row = await choose();
      await this.#checkNode(row.remote_node_id, row.is_virtual);
      await this.#checkUsernameFree(row.username);
      if (row.email != null) await this.checkEmailFree(row.email, 0);
      if (!row.is_virtual && row.active !== false) await this.#checkSeat();
      const member = await store.members.insert({ ...row, created_at: ctx.clock.iso() });
      ctx.about(member.id);
      await ctx.emit('members.created', { id: member.id, is_virtual: member.is_virtual });
      return member;
    });
  }

  async update(id: number, change: MemberChange): Promise<Member> {
    const isDemoted = change.role === 'member' && (await this.#parts.store.members.byId(id))?.role === 'admin';
    if (isDemoted) await this.#stopWorkOf(id, 'member_demoted');
    const { member, deactivated } = await this.#update(id, change);
    // Once more, for work that began meanwhile with the rights of before.
    if (isDemoted) await this.#stopWorkOf(id, 'member_demoted');
    if (deactivated) await this.#stopWorkOf(id, 'member_inactive');
    return toFullRecord(member);
  }

  async #update(id: number, change: MemberChange): Promise<{ member: StoredMember; deactivated: boolean }> {
    const { store, revocation, ctx } = this.#parts;
    return store.exclusive(members_lock, async () => {
      const member = await this.stored(id);
      const deactivated = member.active && change.active === false;
      if (deactivated && member.plugin !== null) throw invalid('active', 'The member of a plugin is active while the plugin is installed');
      if (change.remote_node_id !== undefined) await this.#checkNode(change.remote_node_id, member.is_virtual);
      if (change.email !== undefined) await this.#checkEmail(change.email, member);
      const changesRole = change.role !== undefined && change.role !== member.role;
      if (changesRole && member.is_virtual) throw invalid('role', 'An AI employee is always a member, never an administrator');
      if (changesRole || deactivated) await this.#checkNotLastAdmin(member);
      if (!member.active && change.active === true && !member.is_virtual) await this.#checkSeat();
      const changed = await this.change(member, change);
      if (changesRole || deactivated) await revocation.revokeAll(id);
      // Invitations of somebody who may no longer invite.
      if (changesRole || deactivated) await store.invitations.deleteOf(id);
      if (deactivated) await ctx.emit('members.deactivated', { id, is_virtual: member.is_virtual });
      return { member: changed, deactivated };
    });
  }

  /** Writes a validated change. */
  async change(member: StoredMember, change: Parameters<Store['members']['update']>[1]): Promise<StoredMember> {
    const { store, ctx } = this.#parts;
    return store.transaction(async () => {
      const changed = await store.members.update(member, change);
      // A link that was mailed to the former address.
      if (change.email !== undefined && change.email !== member.email) await store.resets.deleteOf(member.id);
      await ctx.emit('members.changed', { id: member.id, is_virtual: member.is_virtual });
      return changed;
    });
  }

  /** Unbinds all members from a node, inside the transaction that removes it; nobody can be bound to it meanwhile. */
  async unbind(node_id: number): Promise<void> {
    const { store } = this.#parts;
    await store.exclusive(members_lock, async () => {
      for (const member of await store.members.onNode(node_id)) await this.change(member, { remote_node_id: null });
    });
  }

  async delete(id: number): Promise<undefined> {
    const { store, revocation, ctx } = this.#parts;
    await this.#checkNotLastAdmin(await this.stored(id));
    await this.#stopWorkOf(id, 'member_deleted');
    await store.exclusive(members_lock, async () => {
      const member = await this.stored(id);
      await this.#checkNotLastAdmin(member);
      await revocation.revokeAll(id);
      await store.members.delete(id);
      await ctx.emit('members.deleted', { id, is_virtual: member.is_virtual });
    });
  }

  async resetPassword(id: number, new_password: string): Promise<{ id: number; reset: true }> {
    const { store, passwords, revocation } = this.#parts;
    const { is_virtual } = await this.stored(id);
    if (is_virtual) throw fail('member_is_virtual', `Member ${id} is not a person and has no password`);
    assertPassword(new_password, 'new_password');
    const hash = await passwords.hash(new_password);
    await store.transaction(async () => {
      await this.stored(id);
      await store.members.setPassword(id, hash);
      await revocation.revokeAll(id);
    });
    return { id, reset: true };
  }

  /** Returns the stored member. Fails with `member_not_found`. */
  async stored(id: number): Promise<StoredMember> {
    const member = await this.#parts.store.members.byId(id);
    if (!member) throw fail('member_not_found', `There is no member ${id}`);
    return member;
  }

  /** Ends a member's work. Runs outside of the transaction, which would otherwise wait for it. */
  async #stopWorkOf(id: number, reason: Parameters<EndsWorkOf>[1]): Promise<void> {
    const { ctx } = this.#parts;
    const ended = ctx
      .slot<EndsWorkOf>('members.leaving')
      .map(({ value, from }) =>
        value(id, reason).catch((err: unknown) => ctx.log.warn('Could not end work for a member', { extension: from, reason, err })),
      );
    await Promise.all(ended);
  }

  async #checkNode(node: number | null, is_virtual: boolean): Promise<void> {
    if (node === null) return;
    if (!is_virtual) throw invalid('remote_node_id', 'Only an AI employee has a node, and this member is a person');
    const nodes = this.#parts.ctx.find<NodeDirectory>('nodes');
    if (nodes && !(await nodes.exists(node))) throw invalid('remote_node_id', `There is no node ${node}`);
  }

  async #checkUsernameFree(username: string): Promise<void> {
    const taken = await this.#parts.store.members.credentials(username);
    if (taken) throw fail('username_taken', `The user name '${username}' belongs to member ${taken.id}; case is ignored`);
  }

  /** Fails with `email_taken` if another member has the address. Only while nobody else changes members. */
  async checkEmailFree(email: string, member_id: number): Promise<void> {
    const owner = await this.#parts.store.members.byEmail(email);
    if (owner && owner.id !== member_id)
      throw fail('email_taken', `The e-mail address '${email}' belongs to member ${owner.id}; case is ignored`);
  }

  /** Changes a person's e-mail address, within a transaction that has locked all members. */
  async changeEmail(member: StoredMember, email: string | null): Promise<void> {
    await this.#checkEmail(email, member);
    await this.change(member, { email });
  }

  async #checkEmail(email: string | null, member: StoredMember): Promise<void> {
    if (email === null) return;
    if (member.is_virtual) throw invalid('email', 'Only a person has an e-mail address');
    await this.checkEmailFree(email, member.id);
  }

  async #checkSeat(): Promise<void> {
    // Counting costs more than adding one.
    if (this.#parts.settings.seats === 0) return;
    const { used, limit } = await this.seats();
    if (used >= limit)
      throw fail('seat_limit_reached', `All ${limit} seats are taken; deactivate or delete a member, or raise PLATFORM_SEATS`);
  }

  async #checkNotLastAdmin(member: StoredMember): Promise<void> {
    if (member.role !== 'admin' || !member.active || (await this.#parts.store.members.counts()).admins > 1) return;
    throw fail('last_admin', `Member ${member.id} is the last administrator; make another member an administrator first`);
  }
}

function assertUsername(username: string): void {
  if (isReserved(username)) throw invalid('username', `The user name '${username}' is reserved`);
}

function invalid(path: string, message: string) {
  return coreFail('invalid_input', message, { details: [{ path, message }] });
}
