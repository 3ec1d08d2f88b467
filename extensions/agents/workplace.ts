import { type Caller, mayAdminister } from '../../kernel/contract/index.js';
import type { EmployeeSettings, NodeUsers } from './contract.js';

/** Where an AI employee may work, and who may have it do so. */
export interface Workplace extends Pick<EmployeeSettings, 'fallback_node_ids' | 'node_users'> {
  /** The node that it is bound to. */
  remote_node_id: number | null;
}

/** Of somebody for whom it works, what decides whether it may use its node. */
export type NodeUser = Pick<Caller, 'member_id' | 'role' | 'scopes'>;

/**
 * Where an AI employee works for somebody now; `away`: that node is offline. `no_node`: it has none. `no_grant`: not
 * for them. `elsewhere`: it began the work on another node, or on none.
 */
export type Whereabouts = { node_id: number; away?: boolean } | { node_id: null; why: 'no_node' | 'no_grant' | 'elsewhere' };

/** Its nodes, the one that it is bound to first. Where it is bound to none, what waits may still go on on the others; nothing new begins there. */
export function nodesOf({ remote_node_id, fallback_node_ids }: Workplace): number[] {
  return [...new Set([...(remote_node_id === null ? [] : [remote_node_id]), ...fallback_node_ids])];
}

/** Whether it may use its node for them. */
export function mayUse(users: NodeUsers, user: NodeUser): boolean {
  if (users === 'all') return true;
  return users === 'admins' ? mayAdminister(user) : users.includes(user.member_id);
}

/** Where work goes on that was begun on a node, or on none: the grant may be gone meanwhile, or the node another's. */
export function whereabouts(workplace: Workplace, user: NodeUser, begun_on: number | null): Whereabouts {
  const nodes = nodesOf(workplace);
  if (nodes.length === 0 || (begun_on === null && workplace.remote_node_id === null)) return { node_id: null, why: 'no_node' };
  if (!mayUse(workplace.node_users, user)) return { node_id: null, why: 'no_grant' };
  if (begun_on === null || !nodes.includes(begun_on)) return { node_id: null, why: 'elsewhere' };
  return { node_id: begun_on };
}
