import type { PresenceProvider } from '../../kernel/contract/index.js';
import type { MembersService } from '../members/contract.js';

export interface EmployeePresenceParts {
  members: Pick<MembersService, 'virtuals'>;
  /** The status of nodes, by id; none where no extension knows nodes. */
  nodes: (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>;
}

/** The presence of AI employees: online while their node is, or where they need none. */
export class EmployeePresence implements PresenceProvider {
  readonly #parts: EmployeePresenceParts;

  constructor(parts: EmployeePresenceParts) {
    this.#parts = parts;
  }

  async present(): Promise<ReadonlyMap<number, 'online'>> {
    const employees = await this.#parts.members.virtuals();
    const bound = employees.flatMap(({ remote_node_id }) => remote_node_id ?? []);
    const nodes = bound.length === 0 ? new Map<number, string>() : await this.#parts.nodes(bound);
    const present = employees.filter(({ remote_node_id: node }) => node === null || nodes.get(node) === 'online');
    return new Map(present.map(({ id }) => [id, 'online']));
  }
}
