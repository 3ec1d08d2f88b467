import type { Member, MembersService } from '../../members/contract.js';
import type { ParticipantKind } from '../contract.js';

/** Returns by id whether members are people, AI employees or plugins' own members. */
export async function kindsOf(
  members: Pick<MembersService, 'virtuals'>,
  found: readonly Pick<Member, 'id' | 'is_virtual'>[],
): Promise<ReadonlyMap<number, ParticipantKind>> {
  const virtual = found.filter(({ is_virtual }) => is_virtual).map(({ id }) => id);
  const employees = new Set(virtual.length > 0 ? (await members.virtuals(virtual)).map(({ id }) => id) : []);
  return new Map(found.map(({ id, is_virtual }) => [id, employees.has(id) ? 'ai' : is_virtual ? 'plugin' : 'person']));
}
