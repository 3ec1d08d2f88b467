import type { Member } from '../members/contract.js';
import type { PlacementParts } from './placement.js';
import { nodesOf } from './workplace.js';

type Employee = Pick<Member, 'id' | 'remote_node_id'>;

/** Which AI employees can't begin anything on their nodes. */
export class Availability {
  readonly #parts: Omit<PlacementParts, 'members'>;

  constructor(parts: Omit<PlacementParts, 'members'>) {
    this.#parts = parts;
  }

  /** The ids of those that are bound to a node, where neither it nor one of their others is ready. */
  async away(employees: readonly Employee[]): Promise<ReadonlySet<number>> {
    const bound = await Promise.all(employees.filter(({ remote_node_id }) => remote_node_id !== null).map((one) => this.#nodesOf(one)));
    if (bound.length === 0) return new Set();
    const readiness = await this.#parts.readiness([...new Set(bound.flatMap(({ nodes }) => nodes))]);
    return new Set(bound.filter(({ nodes }) => nodes.every((node) => readiness?.get(node) !== 'ready')).map(({ id }) => id));
  }

  async #nodesOf({ id, remote_node_id }: Employee): Promise<{ id: number; nodes: number[] }> {
    const { settings } = await this.#parts.settings.get(id);
    return { id, nodes: nodesOf({ ...settings, remote_node_id }) };
  }
}
