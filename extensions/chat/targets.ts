import { fail as failCore, isFailure } from '../../kernel/contract/index.js';
import type { Member, MembersService } from '../members/contract.js';
import { fail, invalidInput } from './codes.js';
import type { Answerer, TargetType } from './contract.js';

/** The answering member. */
export interface Target {
  member_id: number;
  name: string;
  /** Its node. */
  node_id: number | null;
}

export interface Partner {
  target_type: TargetType;
  target_id: string;
}

/** Looks up the partners of sessions. */
export class Targets {
  readonly #members: MembersService;
  readonly #answerers: () => readonly Answerer[];

  constructor(members: MembersService, answerers: () => readonly Answerer[]) {
    this.#members = members;
    this.#answerers = answerers;
  }

  /** Checks the partner of a new session; returns the other person, if it is one. */
  async check({ target_type, target_id }: Partner, asker_id: number): Promise<number | undefined> {
    if (target_type === 'room') throw invalidInput('target_type', "Open a room with 'sessions.create' before you send to it");
    if (target_type === '') {
      if (target_id !== '') throw invalid(`A session without a partner has no 'target_id', but it is '${target_id}'`);
      return undefined;
    }
    if (target_type === 'ai' && target_id === '') return undefined;
    const member = await this.#member(target_id);
    if (member.is_virtual && !(await this.#members.employee(member.id))) throw invalid(ofPlugin(member));
    if (member.is_virtual !== (target_type === 'ai')) {
      throw invalid(
        `Member ${member.id} is ${member.is_virtual ? 'an AI employee' : 'a person'}, so 'target_type' can't be '${target_type}'`,
      );
    }
    if (member.id === asker_id) throw invalid("The partner of a session can't be oneself; notes to oneself have an empty 'target_type'");
    return target_type === 'member' ? member.id : undefined;
  }

  /** Returns the contact that a new session belongs to, even if the answering AI employee is not named. Undefined if there is none. */
  async contact({ target_type, target_id }: Partner): Promise<number | undefined> {
    if (target_id !== '') return Number(target_id);
    const answerer = this.#answerers().find((one) => one.target_type === target_type);
    return answerer?.defaultTarget().catch(orNobody);
  }

  /** Returns the answerer of a session (undefined if there is none), and the name of the writer. */
  async sides({ target_type, target_id }: Partner, sender_id: number): Promise<{ target: Target | undefined; sender_name: string }> {
    const answerer = this.#answerers().find((one) => one.target_type === target_type);
    if (!answerer) {
      if (target_type !== 'ai') return { target: undefined, sender_name: await this.nameOf(sender_id) };
      throw failCore('extension_unavailable', 'No extension that answers for AI employees is active now');
    }
    const wanted = target_id || String(await answerer.defaultTarget());
    const id = idOf(wanted);
    const found = await this.#members.byIds(id === undefined ? [sender_id] : [id, sender_id]);
    const member = found.find((one) => one.id === id);
    if (!member) throw unknown(wanted);
    if (member.is_virtual && !member.active)
      throw fail('no_ai_employee', `${member.nickname} is not active and answers nobody; an administrator can change that`);
    const target = { member_id: member.id, name: member.nickname, node_id: member.remote_node_id };
    return { target, sender_name: found.find((one) => one.id === sender_id)?.nickname ?? '' };
  }

  async nameOf(member_id: number): Promise<string> {
    return (await this.#members.get(member_id))?.nickname ?? '';
  }

  async #member(target_id: string): Promise<Member> {
    const id = idOf(target_id);
    const member = id === undefined ? undefined : await this.#members.get(id);
    if (!member) throw unknown(target_id);
    return member;
  }
}

/** Returns the message for a session with a plugin's own member, which is not possible. */
export function ofPlugin({ id, nickname }: Pick<Member, 'id' | 'nickname'>): string {
  return `Member ${id} is the own member of the plugin '${nickname}', which answers nobody; it can be added to a session instead`;
}

function idOf(target_id: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(target_id) ? Number(target_id) : undefined;
}

function unknown(target_id: string): Error {
  return invalid(`'target_id' must be the id of a member, but there is no member '${target_id.slice(0, 64)}'`);
}

/** Ignores a missing AI employee: a session can be opened before anybody can answer in it. */
function orNobody(fault: unknown): undefined {
  if (!isFailure(fault) || fault.code !== 'no_ai_employee') throw fault;
}

function invalid(message: string): Error {
  return invalidInput('target_id', message);
}
