import type { Placing } from '../contract.js';

/** Tasks that wait alike: of one AI employee for one member, with the same rights, for the same node and reason. */
export interface Group extends Placing {
  node_id: number;
  reason: string | null;
}

/** Of what is a group, in this order: after `first` values. */
export function ofGroup(first: number): string {
  const [member, asker, scopes, node, reason] = [1, 2, 3, 4, 5].map((at) => `$${first + at}`);
  return `t.status = 'queued' AND t.member_id = ${member} AND t.requested_by = ${asker} AND t.scopes = ${scopes}
    AND t.node_id = ${node} AND COALESCE(t.reason, '') = ${reason}`;
}

export function groupValues({ member_id, requested_by, scopes, node_id, reason }: Group): (string | number)[] {
  return [member_id, requested_by, JSON.stringify(scopes), node_id, reason ?? ''];
}

/** Nothing before it is open in its session. */
export const itsTurn = `NOT EXISTS (SELECT 1 FROM chat_tasks e WHERE e.session_id = t.session_id AND e.created_at < t.created_at
  AND e.status IN ('queued', 'running', 'waiting_approval'))`;
