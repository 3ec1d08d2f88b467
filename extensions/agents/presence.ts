import type { PresenceProvider } from '../../kernel/contract/index.js';
import type { MembersService } from '../members/contract.js';
import type { Availability } from './availability.js';

export interface EmployeePresenceParts {
  members: Pick<MembersService, 'virtuals'>;
  availability: Pick<Availability, 'away'>;
}

/** The presence of AI employees: online while one of their nodes is ready, or where they need none. */
export class EmployeePresence implements PresenceProvider {
  readonly #parts: EmployeePresenceParts;

  constructor(parts: EmployeePresenceParts) {
    this.#parts = parts;
  }

  async present(): Promise<ReadonlyMap<number, 'online'>> {
    const employees = await this.#parts.members.virtuals();
    const away = await this.#parts.availability.away(employees);
    return new Map(employees.flatMap(({ id }) => (away.has(id) ? [] : [[id, 'online']])));
  }
}
