import { type Database, placeholders, type SqlValue } from '../../../kernel/contract/index.js';
import type { NodeWait, Placing, Task } from '../contract.js';
import type { Models, TaskRow } from '../models.js';
import { type Group, itsTurn, ofGroup } from './groups-sql.js';
import { runningStatuses, toJob } from './tasks-sql.js';

/** Limit of groups read together, the longest waiting first. */
const max_groups = 10_000;

/** Access to tasks in `chat_tasks` that need a node. */
export class PlacedTasks {
  readonly #db: Database;
  readonly #model: Models['tasks'];

  constructor(db: Database, model: Models['tasks']) {
    this.#db = db;
    this.#model = model;
  }

  /** Returns groups of ready tasks; only among `ids` if given. Part of a claim: it uses the same condition. */
  async groups(target_type: string, ids?: readonly string[]): Promise<Group[]> {
    const among = ids ? `AND t.id IN (${placeholders(ids, 3)})` : '';
    const rows = await this.#db.rows<Pick<TaskRow, 'member_id' | 'requested_by' | 'scopes' | 'reason'> & { node_id: number }>(
      `SELECT t.member_id, t.requested_by, t.scopes, t.node_id, t.reason FROM chat_tasks t
       WHERE t.status = 'queued' AND t.node_id IS NOT NULL AND t.target_type = $1 ${among} AND ${itsTurn('t')}
       GROUP BY t.member_id, t.requested_by, t.scopes, t.node_id, t.reason ORDER BY MIN(t.created_at) LIMIT $2`,
      [target_type, max_groups, ...(ids ?? [])],
    );
    return rows.map((row) => ({ ...row, scopes: JSON.parse(row.scopes) as Placing['scopes'] }));
  }

  /** Returns at most 200 ready tasks of a group, by the condition of the claim. */
  async ofGroup(group: Group): Promise<Task[]> {
    const values: SqlValue[] = [];
    const among = ofGroup('t', group, (value) => `$${values.push(value)}`);
    return this.#tasks(`SELECT t.* FROM chat_tasks t WHERE ${among} AND ${itsTurn('t')} ORDER BY t.created_at LIMIT 200`, values);
  }

  /** Stores the node and reason for which tasks wait; returns the changed ones, without those claimed in between. */
  async wait(tasks: readonly Task[], { node_id, waits }: { node_id: number; waits: NodeWait }): Promise<Task[]> {
    return this.#tasks(
      `UPDATE chat_tasks SET node_id = $1, reason = $2 WHERE id IN (${placeholders(tasks, 3)}) AND status = 'queued'
         AND (node_id <> $1 OR COALESCE(reason, '') <> $2) RETURNING *`,
      [node_id, waits, ...tasks.map(({ id }) => id)],
    );
  }

  /** Marks tasks that wait for a deleted node: they end unless they can be placed on another. */
  async lose(node_id: number): Promise<void> {
    await this.#model.update({ reason: 'node_deleted' }, { where: { node_id, status: 'queued' } });
  }

  /** Returns tasks that run on a node. */
  async runningOn(node_id: number): Promise<Task[]> {
    const rows = await this.#model.findAll({ where: { node_id, status: runningStatuses }, raw: true });
    return rows.map((row) => toJob(row).task);
  }

  async #tasks(sql: string, values: readonly SqlValue[]): Promise<Task[]> {
    const rows = await this.#db.rows<TaskRow>(sql, values, { model: this.#model });
    return rows.map((row) => toJob(row).task);
  }
}
