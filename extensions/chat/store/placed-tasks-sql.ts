import { type Database, placeholders, type SqlValue } from '../../../kernel/contract/index.js';
import type { NodeWait, Placing, Task } from '../contract.js';
import { type Group, itsTurn, ofGroup } from './groups.js';
import { type Row, toJob } from './tasks-sql.js';

/** So many groups are looked at together, those that wait longest first. */
const max_groups = 10_000;

/** The tasks of table `chat_tasks` that need a node. */
export class PlacedTasks {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Those whose turn it is; among `ids` alone where they are given. */
  async groups(target_type: string, ids?: readonly string[]): Promise<Group[]> {
    const among = ids ? `AND t.id IN (${placeholders(ids, 3)})` : '';
    const rows = await this.#db.rows<Omit<Group, 'scopes'> & { scopes: string }>(
      `SELECT t.member_id, t.requested_by, t.scopes, t.node_id, t.reason FROM chat_tasks t
       WHERE t.status = 'queued' AND t.node_id IS NOT NULL AND t.target_type = $1 ${among} AND ${itsTurn('t')}
       GROUP BY t.member_id, t.requested_by, t.scopes, t.node_id, t.reason ORDER BY MIN(t.created_at) LIMIT $2`,
      [target_type, max_groups, ...(ids ?? [])],
    );
    return rows.map((row) => ({ ...row, scopes: JSON.parse(row.scopes) as Placing['scopes'] }));
  }

  /** At most 200 of a group whose turn it is. */
  async ofGroup(group: Group): Promise<Task[]> {
    const values: SqlValue[] = [];
    const among = ofGroup('t', group, (value) => `$${values.push(value)}`);
    const rows = await this.#db.rows<Row>(
      `SELECT t.* FROM chat_tasks t WHERE ${among} AND ${itsTurn('t')} ORDER BY t.created_at LIMIT 200`,
      values,
    );
    return rows.map((row) => toJob(row).task);
  }

  /** Stores for what they wait; gives those for which that is new, and that nobody has claimed meanwhile. */
  async wait(tasks: readonly Task[], { node_id, waits }: { node_id: number; waits: NodeWait }): Promise<Task[]> {
    const rows = await this.#db.rows<Row>(
      `UPDATE chat_tasks SET node_id = $1, reason = $2 WHERE id IN (${placeholders(tasks, 3)}) AND status = 'queued'
         AND (node_id <> $1 OR COALESCE(reason, '') <> $2) RETURNING *`,
      [node_id, waits, ...tasks.map(({ id }) => id)],
    );
    return rows.map((row) => toJob(row).task);
  }

  /** Marks those that wait for a node that is gone: where no other takes its place they are ended. */
  async lose(node_id: number): Promise<void> {
    await this.#db.run(`UPDATE chat_tasks SET reason = 'node_deleted' WHERE node_id = $1 AND status = 'queued'`, [node_id]);
  }

  /** Those that run on a node. */
  async runningOn(node_id: number): Promise<Task[]> {
    const sql = `SELECT * FROM chat_tasks WHERE node_id = $1 AND status IN ('running', 'waiting_approval')`;
    return (await this.#db.rows<Row>(sql, [node_id])).map((row) => toJob(row).task);
  }
}
