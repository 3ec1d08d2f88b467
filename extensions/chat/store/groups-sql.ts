import type { Bind } from '../../../kernel/contract/index.js';
import type { Placing } from '../contract.js';
import type { TaskRow } from '../models.js';

/** Waiting tasks with the same AI employee, asking member, rights, node and reason. */
export interface Group extends Placing, Pick<TaskRow, 'reason'> {
  node_id: number;
}

/** Part of a claim: the condition for the tasks of a group. */
export function ofGroup(alias: string, { member_id, requested_by, scopes, node_id, reason }: Group, bind: Bind): string {
  return `${alias}.status = 'queued' AND ${alias}.member_id = ${bind(member_id)} AND ${alias}.requested_by = ${bind(requested_by)}
    AND ${alias}.scopes = ${bind(JSON.stringify(scopes))} AND ${alias}.node_id = ${bind(node_id)}
    AND COALESCE(${alias}.reason, '') = ${bind(reason ?? '')}`;
}

/** Part of a claim: the condition for tasks before which nothing is open in their session's lane. */
export function itsTurn(alias: string): string {
  return `NOT EXISTS (SELECT 1 FROM chat_tasks e WHERE e.session_id = ${alias}.session_id AND e.lane = ${alias}.lane
    AND e.created_at < ${alias}.created_at
    AND e.status IN ('queued', 'running', 'waiting_approval'))`;
}
