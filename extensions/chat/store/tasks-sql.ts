import type { WhereOptions } from 'sequelize';
import {
  type Bind,
  type ClaimFilter,
  type Clock,
  type Database,
  type JobTable,
  Op,
  placeholders,
  type Scope,
  type SqlValue,
  tuple,
} from '../../../kernel/contract/index.js';
import type { Task, TaskStatus } from '../contract.js';
import type { Models, TaskRow } from '../models.js';
import { type Group, itsTurn, ofGroup } from './groups-sql.js';

type Scopes = 'all' | readonly Scope[];

/** A task with internal data for the worker. `member_name` is the sender name of the reply. */
export interface Job extends Pick<TaskRow, 'target_type' | 'member_name' | 'joins' | 'lane'> {
  task: Task;
  scopes: Scopes;
}

const newColumns = [
  'id',
  'session_id',
  'message_id',
  'reply_id',
  'target_type',
  'member_id',
  'member_name',
  'requested_by',
  'title',
  'created_at',
  'node_id',
  'lane',
] as const;

export interface NewTask extends Pick<TaskRow, (typeof newColumns)[number]> {
  scopes: Scopes;
}

interface Backlog extends Pick<TaskRow, 'session_id' | 'lane'> {
  member_id: number;
}

/** Outcome of a task. */
export interface Outcome extends Pick<TaskRow, 'id' | 'reason' | 'error'> {
  status: Extract<TaskStatus, 'completed' | 'failed' | 'cancelled'>;
  /** Number of answered joined texts: if more have joined, the task doesn't end. */
  joins?: number;
}

/** Statuses of claimed tasks, and of open tasks. */
export const runningStatuses: TaskStatus[] = ['running', 'waiting_approval'];
export const openStatuses: TaskStatus[] = ['queued', ...runningStatuses];

/** The same as SQL. SQLite uses a partial index only if the list matches that of the index literally. */
const among = (statuses: readonly TaskStatus[]) => `status IN (${statuses.map((status) => `'${status}'`).join(', ')})`;
const open = among(openStatuses);
const running = among(runningStatuses);

/** Returns the description of the table for the worker. Tasks that need a node are claimed by the placer only. */
export function jobTable(clock: Clock): JobTable {
  return {
    name: 'chat_tasks',
    ready: () => "j.status = 'queued' AND j.node_id IS NULL",
    active: running,
    order: 'j.created_at',
    start: (bind) => `status = 'running', started_at = ${bind(clock.iso())}`,
  };
}

/** Returns the condition for claims: ready tasks for these kinds of partners. */
export function isOfType(types: readonly string[]): (bind: Bind) => string {
  return (bind) => `j.target_type IN (${types.map(bind).join(', ')}) AND ${itsTurn('j')}`;
}

/** Returns the claim of a group that waits for a node, for the node on which it runs. */
export function claimOf(group: Group, { target_type, node_id }: { target_type: string; node_id: number | null }): ClaimFilter {
  return {
    ready: (bind) => ofGroup('j', group, bind),
    where: isOfType([target_type]),
    set: (bind) => `node_id = ${bind(node_id)}, reason = NULL`,
  };
}

/** Table `chat_tasks`. */
export class Tasks {
  readonly #db: Database;
  readonly #model: Models['tasks'];

  constructor(db: Database, model: Models['tasks']) {
    this.#db = db;
    this.#model = model;
  }

  /** Reads a task. Hot: each stream of a reply (benchmark row `streams`). */
  async find(id: string): Promise<Job | undefined> {
    const [row] = await this.#rows('SELECT * FROM chat_tasks WHERE id = $1', [id]);
    return row && toJob(row);
  }

  /** Returns at most 200 open tasks of an asking member, oldest first. */
  async activeOf(requested_by: number): Promise<Task[]> {
    return this.#open({ requested_by }, 200);
  }

  /** Returns the failed tasks of an asking member that ended after a time, latest first. */
  async failedOf(requested_by: number, { since, limit }: { since: string; limit: number }): Promise<Task[]> {
    const where = { requested_by, status: 'failed' as const, finished_at: { [Op.gt]: since } };
    const rows = await this.#model.findAll({ where, order: [['finished_at', 'DESC']], limit, raw: true });
    return rows.map((row) => toJob(row).task);
  }

  /** Returns the number of running tasks of each member, and of those waiting for an approval. */
  async working(member_ids: readonly number[]): Promise<Map<number, { running: number; waiting: number }>> {
    const columns = ['member_id', 'status'];
    const rows = await this.#model.count({
      attributes: columns,
      group: columns,
      where: { member_id: [...member_ids], status: runningStatuses },
    });
    const found = new Map<number, { running: number; waiting: number }>();
    for (const { member_id, status, count } of rows as (Pick<TaskRow, 'member_id' | 'status'> & { count: number })[]) {
      const counts = found.get(member_id) ?? { running: 0, waiting: 0 };
      counts[status === 'waiting_approval' ? 'waiting' : 'running'] = count;
      found.set(member_id, counts);
    }
    return found;
  }

  /** Returns the open tasks of a session. */
  openOf(session_id: string): Promise<Task[]> {
    return this.#open({ session_id });
  }

  /** Returns the tasks that answer a message, oldest first. */
  async ofMessage(message_id: string): Promise<Task[]> {
    const rows = await this.#model.findAll({ where: { message_id }, order: ['created_at', 'id'], raw: true });
    return rows.map((row) => toJob(row).task);
  }

  /** Returns the open tasks in a room that members have asked for, or that AI employees among them work on. */
  openIn(session_id: string, member_ids: readonly number[]): Promise<Task[]> {
    const ids = [...member_ids];
    return this.#open({ session_id, [Op.or]: [{ requested_by: ids }, { member_id: ids }] });
  }

  /** Returns the open tasks in a room that have read data which only its present members may see. */
  privateIn(session_id: string): Promise<Task[]> {
    return this.#open({ session_id, reads_private: 1 });
  }

  /** Notes that a task is going to read such data. */
  async markPrivate(id: string): Promise<void> {
    await this.#model.update({ reads_private: 1 }, { where: { id } });
  }

  /** Returns the open tasks of an asking member or an AI employee. */
  openFor(member_id: number): Promise<Task[]> {
    return this.#open({ [Op.or]: [{ requested_by: member_id }, { member_id }] });
  }

  /** Returns the number of waiting tasks in a session's lane, and of open tasks of a member. Benchmark row `sends`: each message. */
  async backlog({ session_id, lane, member_id }: Backlog): Promise<{ waiting: number; open: number }> {
    const [row] = await this.#db.rows<{ waiting: number; open: number }>(
      `SELECT (SELECT count(*) FROM chat_tasks WHERE session_id = $1 AND lane = $2 AND status = 'queued') AS waiting,
         (SELECT count(*) FROM chat_tasks WHERE requested_by = $3 AND ${open}) AS open`,
      [session_id, lane, member_id],
    );
    return row ?? { waiting: 0, open: 0 };
  }

  /** Inserts a task. Benchmark row `sends`: each message to an AI employee. */
  async insert(task: NewTask): Promise<Task> {
    const values = [...newColumns.map((column) => task[column]), JSON.stringify(task.scopes)];
    const [row] = await this.#rows(
      `INSERT INTO chat_tasks (${newColumns.join()}, scopes, status) VALUES (${placeholders(values)}, 'queued') RETURNING *`,
      values,
    );
    return toJob(row as TaskRow).task;
  }

  /**
   * Ends tasks of this owner; returns by id those that it ended, without those that further texts have joined. Benchmark row `sends`. Locks
   * rows in the same order as the renewal of leases, to avoid deadlocks.
   */
  async finish(owner: string, outcomes: readonly Outcome[], now: string): Promise<ReadonlyMap<string, Task>> {
    const values: SqlValue[] = [now, owner];
    const rows = outcomes.map(({ id, status, reason, error, joins }) =>
      tuple(values, [id, status, reason, error && JSON.stringify(error), joins ?? null]),
    );
    const ids = outcomes.map(({ id }) => `$${values.push(id)}`);
    const ended = await this.#rows(
      `UPDATE chat_tasks SET status = v.column2, reason = v.column3, error = v.column4, finished_at = $1, lease_until = NULL
       FROM (VALUES ${rows.join()}) AS v WHERE chat_tasks.id = v.column1 AND owner = $2 AND ${running}
         AND joins = COALESCE(CAST(v.column5 AS INTEGER), joins)
         AND chat_tasks.id IN (SELECT o.id FROM chat_tasks o WHERE o.id IN (${ids.join()}) ORDER BY o.id FOR UPDATE) RETURNING *`,
      values,
    );
    return new Map(ended.map((row) => [row.id, toJob(row).task]));
  }

  /**
   * Counts a joining text; undefined if the task is final or at its limit. The lock makes the task's end wait for this transaction, and
   * RETURNING shows whether it was still open.
   */
  async join(id: string, max: number): Promise<Task | undefined> {
    const sql = `UPDATE chat_tasks SET joins = joins + 1 WHERE id = $1 AND ${open} AND joins < $2 RETURNING *`;
    return this.#one(sql, [id, max]);
  }

  /** Stores that a task waits for a person or runs again; undefined if this owner no longer runs it, which only RETURNING shows. */
  async wait(id: string, owner: string, status: 'waiting_approval' | 'running'): Promise<Task | undefined> {
    return this.#one(`UPDATE chat_tasks SET status = $1 WHERE id = $2 AND owner = $3 AND ${running} RETURNING *`, [status, id, owner]);
  }

  /** Ends a waiting task; false if it was claimed or is final. */
  async withdraw(id: string, reason: string, finished_at: string): Promise<boolean> {
    const end = { status: 'cancelled', reason, error: null, finished_at, lease_until: null } as const;
    const [ended] = await this.#model.update(end, { where: { id, status: 'queued' } });
    return ended > 0;
  }

  /** Deletes the tasks of sessions; returns the open ones. */
  async deleteOf(sessions: readonly string[]): Promise<Task[]> {
    const where = { session_id: [...sessions] };
    const open = await this.#open(where);
    await this.#model.destroy({ where });
    return open;
  }

  async #open(where: WhereOptions<TaskRow>, limit?: number): Promise<Task[]> {
    const query = { order: ['created_at'], raw: true, ...(limit === undefined ? {} : { limit }) };
    const rows = await this.#model.findAll({ ...query, where: { [Op.and]: [where, { status: openStatuses }] } });
    return rows.map((row) => toJob(row).task);
  }

  #rows(sql: string, values: readonly SqlValue[]): Promise<TaskRow[]> {
    return this.#db.rows<TaskRow>(sql, values, { model: this.#model });
  }

  async #one(sql: string, values: readonly SqlValue[]): Promise<Task | undefined> {
    const [row] = await this.#rows(sql, values);
    return row && toJob(row).task;
  }
}

/** Converts a row of a model or a claim. A claimed task has no error, the only JSON column. */
export function toJob(row: TaskRow): Job {
  const { target_type, member_name, scopes, joins, lane } = row;
  const task: Task = {
    id: row.id,
    session_id: row.session_id,
    message_id: row.message_id,
    reply_id: row.reply_id,
    member_id: row.member_id,
    requested_by: row.requested_by,
    node_id: row.node_id,
    title: row.title,
    status: row.status,
    reason: row.reason,
    progress: row.progress,
    created_at: row.created_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
    error: row.error,
  };
  return { task, target_type, member_name, scopes: JSON.parse(scopes) as Scopes, joins, lane };
}
