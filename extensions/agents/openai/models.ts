import type { MembersService, VirtualMember } from '../../members/contract.js';
import { fail } from '../codes.js';

/** AI employee in the form of an OpenAI model. */
export interface Model {
  /** User name. */
  id: string;
  object: 'model';
  /** Seconds since the epoch. */
  created: number;
  owned_by: string;
  /** Extension of OpenAI's format: the display name. */
  name: string;
}

/** Lists AI employees as models. */
export class EmployeeModels {
  readonly #members: MembersService;

  constructor(members: MembersService) {
    this.#members = members;
  }

  async list(): Promise<{ object: 'list'; data: Model[] }> {
    return { object: 'list', data: (await this.#active()).map(modelOf) };
  }

  async get(id: string): Promise<Model> {
    return modelOf(await this.find(id));
  }

  /** Finds an active AI employee by user name, ignoring case, or by member id. Fails with `employee_not_found`. */
  async find(id: string): Promise<VirtualMember> {
    const employees = await this.#active();
    const named = employees.find(({ username }) => username.toLowerCase() === id.toLowerCase());
    const found = named ?? employees.find((employee) => String(employee.id) === id);
    if (!found)
      throw fail('employee_not_found', `The model '${id.slice(0, 100)}' does not exist: no active AI employee has this user name`);
    return found;
  }

  async #active(): Promise<VirtualMember[]> {
    return (await this.#members.virtuals()).filter(({ active }) => active);
  }
}

function modelOf({ username, created_at, name }: VirtualMember): Model {
  return { id: username, object: 'model', created: Math.floor(Date.parse(created_at) / 1000), owned_by: 'platform', name };
}
