import type { Context, PresenceProvider } from '../../kernel/contract/index.js';
import type { MembersEvents, MembersService } from '../members/contract.js';
import type { NodesEvents } from '../nodes/contract.js';
import type { Availability } from './availability.js';
import type { Agents } from './contract.js';

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
    const employees = (await this.#parts.members.virtuals()).filter(({ active }) => active);
    const away = await this.#parts.availability.away(employees);
    return new Map(employees.flatMap(({ id }) => (away.has(id) ? [] : [[id, 'online']])));
  }
}

/** Has presence asked again as soon as a node or an AI employee has changed, before the change is answered. */
export function refreshPresence(ctx: Pick<Context<Agents>, 'take' | 'db' | 'presence'>): void {
  const refresh = () => ctx.db.afterCommit(() => ctx.presence.refresh());
  ctx.take<NodesEvents['nodes.changed']>('nodes.changed', async () => refresh());
  for (const topic of ['members.created', 'members.changed'] as const)
    ctx.take<MembersEvents[typeof topic]>(topic, async ({ is_virtual }) => {
      if (is_virtual) refresh();
    });
}
