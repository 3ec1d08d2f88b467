import type { Context, Fault } from '../../../kernel/contract/index.js';
import type { MembersService } from '../../members/contract.js';
import type { Agents, EmployeeChange, NodeDirectory } from '../contract.js';
import type { Selection, Skills } from '../skills/skills.js';

/** Checks that the ids in a change exist. If the extension that knows them is inactive, they are accepted unchecked. */
export class References {
  readonly #members: MembersService;
  readonly #skills: Pick<Skills, 'ids'>;
  readonly #find: Context<Agents>['find'];

  constructor(members: MembersService, skills: Pick<Skills, 'ids'>, find: Context<Agents>['find']) {
    this.#members = members;
    this.#skills = skills;
    this.#find = find;
  }

  /** `kept`: the skills it had before. One that has been uninstalled since may stay, so that settings can be sent back as read. */
  async faults({ node_users, fallback_node_ids = [], skills }: EmployeeChange, previous: Selection): Promise<Fault[]> {
    const users = Array.isArray(node_users) ? node_users : [];
    const existing = new Set((await this.#members.byIds(users)).map(({ id }) => id));
    const nodes = this.#find<NodeDirectory>('nodes');
    const installed = Array.isArray(skills) ? await this.#skills.ids() : new Set<string>();
    const before = new Set(Array.isArray(previous) ? previous : []);
    return [
      ...(await unknownIds('node_users', users, (id) => existing.has(id))),
      ...(await unknownIds('fallback_node_ids', fallback_node_ids, (id) => nodes?.exists(id) ?? true)),
      ...(await unknownIds('skills', Array.isArray(skills) ? skills : [], (id) => installed.has(id) || before.has(id))),
    ];
  }
}

async function unknownIds<Id extends string | number>(
  path: string,
  ids: readonly Id[],
  exists: (id: Id) => boolean | Promise<boolean>,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const [index, id] of ids.entries()) {
    if (!(await exists(id))) faults.push({ path: `${path}.${index}`, message: `Unknown id ${JSON.stringify(id)}` });
  }
  return faults;
}
