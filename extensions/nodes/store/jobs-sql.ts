import type { JobTable } from '../../../kernel/contract/index.js';

/** Parts of claims: the conditions for the nodes that a kind of work is about. */
export type NodeCondition = Pick<JobTable, 'ready' | 'active'>;

/** Nodes that have no container yet. */
export const toMake: NodeCondition = {
  ready: () => "j.status = 'creating' OR (j.status = 'offline' AND j.container_id IS NULL)",
  active: "status IN ('creating', 'offline')",
};

/** Nodes that are being removed. */
export const toRemove: NodeCondition = { ready: () => "j.status = 'removing'", active: "status = 'removing'" };

/** Returns the table of nodes as a queue. A node that was never claimed has no lease. */
export function jobTable({ ready, active }: NodeCondition): JobTable {
  const due = (now: string) => `(j.lease_until IS NULL OR j.lease_until <= ${now})`;
  return { name: 'nodes_nodes', ready, active, due, order: 'COALESCE(j.lease_until, 0), j.id', returning: 'id' };
}
