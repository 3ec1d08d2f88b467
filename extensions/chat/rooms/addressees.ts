import type { MembersService } from '../../members/contract.js';
import type { Session } from '../contract.js';
import type { Ports } from '../ports.js';
import type { Participant } from '../store/sessions-sql.js';
import type { Target } from '../targets.js';
import { type ResolvedMentions, resolveMentions } from './mentions.js';

/** Members whom a message in a room is for. */
export interface Addressed extends Pick<ResolvedMentions, 'mentions' | 'everyone' | 'not_in_room'> {
  /** Mentioned people. */
  people: number[];
  /** AI employees that answer. */
  targets: Target[];
}

/** Finds out whom a message in a room is for, before the transaction that stores it. */
export class RoomAddressees {
  readonly #rooms: Ports['rooms'];
  readonly #messages: Pick<Ports['messages'], 'find'>;
  readonly #members: MembersService;

  constructor({ rooms, messages }: Pick<Ports, 'rooms' | 'messages'>, members: MembersService) {
    this.#rooms = rooms;
    this.#messages = messages;
    this.#members = members;
  }

  /** `reply_to`: the message that this one answers. */
  async of({ id: session_id, role }: Pick<Session, 'id' | 'role'>, text: string, reply_to?: string | null): Promise<Addressed> {
    const replied = reply_to ? (await this.#messages.find(reply_to))?.message : undefined;
    const answered = replied?.session_id === session_id ? replied.sender_id : null;
    const place = { session_id, owns: role === 'owner' };
    const { members, ...resolved } = await resolveMentions(text, place, { members: this.#members, rooms: this.#rooms });
    const addressed = new Set(members.map(({ member_id }) => member_id));
    if (answered !== null) addressed.add(answered);
    const employees = (await this.#rooms.employees(session_id)).filter((employee) => answers(employee, addressed));
    const people = members.filter(({ kind }) => kind === 'person').map(({ member_id }) => member_id);
    return { ...resolved, people, targets: await this.#targets(employees) };
  }

  async #targets(employees: readonly Participant[]): Promise<Target[]> {
    if (employees.length === 0) return [];
    const found = await this.#members.byIds(employees.map(({ member_id }) => member_id));
    const active = found.filter((member) => member.active);
    return active.map(({ id: member_id, nickname: name, remote_node_id: node_id }) => ({ member_id, name, node_id }));
  }
}

function answers({ member_id, answers }: Participant, addressed: ReadonlySet<number>): boolean {
  return answers === 'always' || (answers === 'mentioned' && addressed.has(member_id));
}
