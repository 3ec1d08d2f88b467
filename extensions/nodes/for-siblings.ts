import type { NodeStatus, NodesService } from './contract.js';
import type { NodeStore } from './store/nodes.js';
import type { StoredNode } from './store/stored.js';

/** What other extensions ask of nodes. */
export function forSiblings(nodes: NodeStore, { furnisher }: { furnisher: Pick<NodesService, 'furnish'> }): NodesService {
  return {
    // One that goes takes nobody any more.
    exists: async (id) => ((await nodes.find(id))?.status ?? 'removing') !== 'removing',
    statuses: async (ids) => new Map<number, NodeStatus>((await nodes.byIds(ids)).map(({ id, status }) => [id, status])),
    readiness: async (ids) => new Map((await nodes.byIds(ids)).map((stored) => [stored.id, readinessOf(stored)])),
    furnish: (wanted, signal) => furnisher.furnish(wanted, signal),
  };
}

function readinessOf({ status, draining }: StoredNode): 'ready' | 'node_offline' | 'node_draining' {
  if (status !== 'online') return 'node_offline';
  return draining ? 'node_draining' : 'ready';
}
