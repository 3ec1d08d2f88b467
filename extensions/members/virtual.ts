import type { Contribution } from '../../kernel/contract/index.js';
import { fail } from './codes.js';
import type { Employee, NewVirtual, VirtualDetails, VirtualMember } from './contract.js';
import { toRecord } from './record.js';
import { type MemberRules, members_lock } from './service.js';
import type { StoredMember } from './store/members.js';
import type { Store } from './store.js';
import { freeUsername, usernameFrom } from './username.js';

interface Parts {
  store: Store;
  rules: MemberRules;
  /** Returns the current contributions to the slot `members.virtual`. */
  slot: () => readonly Contribution<VirtualDetails>[];
}

/** Reads and changes AI employees as members. */
export class VirtualMembers {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async list(ids?: readonly number[]): Promise<VirtualMember[]> {
    const { members } = this.#parts.store;
    return this.#records(ids ? (await members.byIds(ids)).filter(isEmployee) : await members.virtuals());
  }

  async get(id: number): Promise<VirtualMember | undefined> {
    const member = await this.#parts.store.members.byId(id);
    return member && isEmployee(member) ? this.#record(member) : undefined;
  }

  async record(id: number): Promise<Employee | undefined> {
    const member = await this.#parts.store.members.byId(id);
    return member && isEmployee(member) ? employeeOf(member) : undefined;
  }

  async create({ name, post = '', mode = 'assistant' }: NewVirtual): Promise<VirtualMember> {
    const { store, rules } = this.#parts;
    const base = usernameFrom(name);
    const created = await rules.insert(async () => {
      const username = freeUsername(base, await store.members.namesLike(base ?? 'employee-'));
      return { username, nickname: name, role: 'member', is_virtual: true, remote_node_id: null, password_hash: null, post, mode };
    });
    return this.#record(created);
  }

  async update(id: number, { name, post, mode }: Partial<NewVirtual>): Promise<VirtualMember> {
    const { store, rules } = this.#parts;
    return store.exclusive(members_lock, async () => {
      const member = await rules.stored(id);
      if (!isEmployee(member)) throw fail('member_not_found', `Member ${id} is not an AI employee`);
      const change = { nickname: name ?? member.nickname, post: post ?? member.post, mode: mode ?? member.mode };
      return this.#record(await rules.change(member, change));
    });
  }

  async #record(member: StoredMember): Promise<VirtualMember> {
    const [found] = await this.#records([member]);
    return found as VirtualMember;
  }

  async #records(members: readonly StoredMember[]): Promise<VirtualMember[]> {
    const known = await this.#parts.slot()[0]?.value.details(members);
    return members.map((member) => {
      const { status, skills, oversight } = known?.get(member.id) ?? defaultDetails;
      return { ...employeeOf(member), status: member.active ? status : 'paused', skills, oversight };
    });
  }
}

function employeeOf(member: StoredMember): Employee {
  return { ...toRecord(member), name: member.nickname, post: member.post, mode: member.mode };
}

/** Returns whether a member is an AI employee; a plugin's member is not. */
function isEmployee({ is_virtual, plugin }: StoredMember): boolean {
  return is_virtual && plugin === null;
}

/** Details of an employee that no contribution knows. */
const defaultDetails = { status: 'idle' as const, skills: [], oversight: false };
