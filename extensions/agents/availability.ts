import type { Member } from '../members/contract.js';
import type { PlacementParts } from './placement.js';
import type { SettingsStore } from './profiles/store.js';
import { nodesOf } from './workplace.js';

export interface AvailabilityParts extends Pick<PlacementParts, 'readiness'> {
  settings: Pick<SettingsStore, 'of' | 'usual'>;
}

type Employee = Pick<Member, 'id' | 'remote_node_id'>;

/** Which AI employees can't begin anything on their nodes. */
export class Availability {
  readonly #parts: AvailabilityParts;

  constructor(parts: AvailabilityParts) {
    this.#parts = parts;
  }

  /** The ids of those that are bound to a node, where neither it nor one of their others is ready. */
  async away(employees: readonly Employee[]): Promise<ReadonlySet<number>> {
    const working = employees.filter(({ remote_node_id }) => remote_node_id !== null);
    if (working.length === 0) return new Set();
    const kept = await this.#parts.settings.of(working.map(({ id }) => id));
    const bound = working.map(({ id, remote_node_id }) => {
      const { settings } = kept.get(id) ?? this.#parts.settings.usual;
      return { id, nodes: nodesOf({ ...settings, remote_node_id }) };
    });
    const readiness = await this.#parts.readiness([...new Set(bound.flatMap(({ nodes }) => nodes))]);
    return new Set(bound.filter(({ nodes }) => nodes.every((node) => readiness?.get(node) !== 'ready')).map(({ id }) => id));
  }
}
