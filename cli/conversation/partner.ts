import { failures } from '../../kernel/contract/failure.js';
import type { Api } from './api.js';

const fail = failures({ employee_not_found: 404 });

/** With whom a conversation is. */
export interface Partner {
  member_id: number;
  username: string;
  nickname: string;
  is_virtual: boolean;
}

/** The AI employee of that id, user name or name. Fails with `employee_not_found`. */
export async function findPartner(wanted: string, api: Api): Promise<Partner> {
  const isId = /^\d+$/.test(wanted);
  const contacts = await api.call<Partner[]>('contacts.list', isId ? {} : { keyword: wanted.slice(0, 64) });
  const employees = contacts.filter(({ is_virtual }) => is_virtual);
  const named = employees.filter((one) => namesOf(one).includes(wanted.toLowerCase()));
  if (named.length > 1)
    throw fail('employee_not_found', `There are ${named.length} AI employees '${wanted}': name one by its id${among(named)}`);
  const [found, ...others] = named.length > 0 || isId ? named : employees;
  if (found !== undefined && others.length === 0) return found;
  throw fail('employee_not_found', `There is no AI employee '${wanted}'${among(employees)}`);
}

function namesOf({ member_id, username, nickname }: Partner): string[] {
  return [String(member_id), username.toLowerCase(), nickname.toLowerCase()];
}

function among(employees: readonly Partner[]): string {
  const named = employees.slice(0, 10).map(({ member_id, nickname }) => `${nickname} (${member_id})`);
  return named.length === 0 ? '' : `; there are ${named.join(', ')}`;
}
