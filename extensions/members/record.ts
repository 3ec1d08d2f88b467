import type { Caller, Door } from '../../kernel/contract/index.js';
import type { Member } from './contract.js';

/** Doors by which people ask. AI employees, plugins and schedules come by others. */
const doors_of_people: ReadonlySet<Door> = new Set(['http', 'local', 'direct']);

/** Returns the public record of a member, without its e-mail address. */
export function toRecord(member: Member): Member {
  const { id, username, nickname, role, is_virtual, active, remote_node_id, created_at } = member;
  return { id, username, nickname, role, is_virtual, active, remote_node_id, created_at };
}

/** Returns the record of a member as people see it. */
export function toFullRecord(member: Member & { email: string | null }): Member & { email: string | null } {
  return { ...toRecord(member), email: member.email };
}

/** Returns the record for the door of a call: only people see e-mail addresses, so that none reaches a model or a plugin's server. */
export function forDoor(member: Member, { door }: Pick<Caller, 'door'>): Member {
  return doors_of_people.has(door) ? member : toRecord(member);
}
