import { failures } from '../../kernel/contract/failure.js';
import type { Api } from './api.js';

const fail = failures({ employee_not_found: 404 });

/** The other side of a conversation. */
export interface Partner {
  member_id: number;
  username: string;
  nickname: string;
  is_virtual: boolean;
}

/** Finds an AI employee by id, user name or name. Fails with `employee_not_found`. */
export async function findPartner(wanted: string, api: Api): Promise<Partner> {
  const isId = /^\d+$/.test(wanted);
  const employees = isId ? await allEmployees(api) : await employeesNamed(wanted, api);
  const named = employees.filter((one) => namesOf(one).includes(wanted.toLowerCase()));
  if (named.length > 1) throw fail('employee_not_found', `${named.length} AI employees are called '${wanted}': use an id${among(named)}`);
  const [found, ...others] = named.length > 0 || isId ? named : employees;
  if (found !== undefined && others.length === 0) return found;
  const person = await personNamed(wanted, api);
  if (person !== undefined)
    throw fail('employee_not_found', `'${wanted}' is a person, not an AI employee`, {
      fix: `open a conversation with that person with: platform chat start @${person.username}`,
    });
  throw fail('employee_not_found', `There is no AI employee '${wanted}'${among(employees)}`);
}

/** Finds a person, not an AI employee, by user name or name. Ids are not searched for. */
async function personNamed(wanted: string, api: Api): Promise<Partner | undefined> {
  // An id can't be searched for, and listing all contacts could be very many.
  if (/^\d+$/.test(wanted)) return undefined;
  const contacts = await api.call<Partner[]>('contacts.list', { keyword: wanted.slice(0, 64) });
  return contacts.find((one) => !one.is_virtual && namesOf(one).includes(wanted.toLowerCase()));
}

/** Lists all AI employees. They are few; contacts include every member and may be very many. */
async function allEmployees(api: Api): Promise<Partner[]> {
  const all = await api.call<(Omit<Partner, 'member_id'> & { id: number })[]>('members.list_virtual', {});
  return all.map(({ id, ...employee }) => ({ ...employee, member_id: id }));
}

async function employeesNamed(wanted: string, api: Api): Promise<Partner[]> {
  const contacts = await api.call<Partner[]>('contacts.list', { keyword: wanted.slice(0, 64) });
  return contacts.filter(({ is_virtual }) => is_virtual);
}

function namesOf({ member_id, username, nickname }: Partner): string[] {
  return [String(member_id), username.toLowerCase(), nickname.toLowerCase()];
}

function among(employees: readonly Partner[]): string {
  const named = employees.slice(0, 10).map(({ member_id, nickname }) => `${nickname} (${member_id})`);
  return named.length === 0 ? '' : `; there are ${named.join(', ')}`;
}
