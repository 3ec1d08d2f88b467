import type { SqlValue } from '../../../kernel/contract/index.js';
import type { KeptConfig, StoredNode } from './stored.js';

/** A row of `nodes_nodes`, without the lease. */
export interface Row extends Omit<StoredNode, 'config' | 'draining' | 'shell' | 'walls'> {
  config: string;
  draining: number;
  shell: number | null;
  fenced: number;
  walls_reason: string;
}

export const columns = `id, name, node_type, host, config, sealed, status, reason, reason_code, since, draining, shell, fenced, walls_reason,
  container_id, started_at, last_heartbeat, misses, created_by, created_at, updated_at`;

export function toStored({ config, draining, shell, fenced, walls_reason, ...row }: Row): StoredNode {
  return {
    ...row,
    config: JSON.parse(config) as KeptConfig,
    draining: draining === 1,
    shell: shell === null ? null : shell === 1,
    walls: { fenced: fenced === 1, reason: walls_reason },
  };
}

/** What of a node may change; what is left out stays. */
export type NodePatch = Partial<
  Pick<
    StoredNode,
    | 'name'
    | 'config'
    | 'sealed'
    | 'status'
    | 'reason'
    | 'reason_code'
    | 'draining'
    | 'shell'
    | 'walls'
    | 'container_id'
    | 'started_at'
    | 'last_heartbeat'
    | 'misses'
  >
>;

/** The columns of a change and what they become. */
export function fieldsOf({ name, config, draining, shell, walls, ...plain }: NodePatch): Record<string, SqlValue> {
  return {
    ...plain,
    ...(name === undefined ? {} : { name, folded_name: folded(name) }),
    ...(config === undefined ? {} : { config: JSON.stringify(config) }),
    ...(draining === undefined ? {} : { draining: draining ? 1 : 0 }),
    ...(shell === undefined ? {} : { shell: shell === null ? null : Number(shell) }),
    ...(walls === undefined ? {} : { fenced: walls.fenced ? 1 : 0, walls_reason: walls.reason }),
  };
}

/** Names that read alike are one name. */
export function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
