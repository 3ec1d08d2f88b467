import type { Node } from '../contract.js';
import type { NodeRow } from '../models.js';

/** Columns that stay inside the store. */
type Internal = 'folded_name' | 'request_key' | 'owner' | 'lease_until';

/** Row without the columns that stay inside the store. */
type VisibleRow = Omit<NodeRow, Internal>;

/** Options of a query that returns rows for {@link toStored}. */
export const visible = {
  attributes: { exclude: ['folded_name', 'request_key', 'owner', 'lease_until'] satisfies Internal[] as string[] },
  raw: true,
};

/** Node as the rules see it. The table stores booleans as integers and the walls in two columns. */
export type StoredNode = Omit<VisibleRow, 'draining' | 'shell' | 'fenced' | 'walls_reason'> & Pick<Node, 'draining' | 'shell' | 'walls'>;

/** Secrets of a node's engine. */
export interface EngineSecrets {
  /** PEM texts. */
  tls?: { ca?: string; cert?: string; key?: string };
  ssh?: { private_key?: string; passphrase?: string; password?: string };
}

/** Change of a node; omitted fields stay. */
export type NodePatch = Partial<Omit<StoredNode, 'id' | 'node_type' | 'host' | 'since' | 'created_by' | 'created_at' | 'updated_at'>>;

export function toStored({ draining, shell, fenced, walls_reason, ...row }: VisibleRow): StoredNode {
  return {
    ...row,
    draining: draining === 1,
    shell: shell === null ? null : shell === 1,
    walls: { fenced: fenced === 1, reason: walls_reason },
  };
}

/** Converts a change to columns. */
export function fieldsOf({ draining, shell, walls, ...plain }: NodePatch): Partial<NodeRow> {
  return {
    ...plain,
    ...(plain.name !== undefined && { folded_name: folded(plain.name) }),
    ...(draining !== undefined && { draining: bit(draining) }),
    ...(shell !== undefined && { shell: shell === null ? null : bit(shell) }),
    ...(walls && { fenced: bit(walls.fenced), walls_reason: walls.reason }),
  };
}

export function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

function bit(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}
