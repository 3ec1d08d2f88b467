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

/** A task as the worker needs it: the record, and what clients don't see. `member_name` is the name under which the reply is written. */
export interface Job extends Pick<TaskRow, 'target_type' | 'member_name' | 'joins'> {
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
] as const;

export interface NewTask extends Pick<TaskRow, (typeof newColumns)[number]> {
  scopes: Scopes;
}

/** How a task ends. */
export interface Outcome extends Pick<TaskRow, 'id' | 'reason' | 'error'> {
  status: Extract<TaskStatus, 'completed' | 'failed' | 'cancelled'>;
  /** How many texts joined it: if there are more it isn't ended. */
  joins?: number;
}

/** Statuses of tasks that somebody has claimed, and of all that are not final. */
export const runningStatuses: TaskStatus[] = ['running', 'waiting_approval'];
export const openStatuses: TaskStatus[] = ['queued', ...runningStatuses];

/** The same in SQL. SQLite uses a partial index only if the list is word for word the index's own. */
const among = (statuses: readonly TaskStatus[]) => `status IN (${statuses.map((status) => `'${status}'`).join(', ')})`;
const open = among(openStatuses);
const running = among(runningStatuses);

/** Rows are claimed with `owner` until `lease_until`; those that need a node by their places alone. */
export function jobTable(clock: Clock): JobTable {
  return {
    name: 'chat_tasks',
    ready: () => "j.status = 'queued' AND j.node_id IS NULL",
    active: running,
    order: 'j.created_at',
    start: (bind) => `status = 'running', started_at = ${bind(clock.iso())}`,
  };
}

/** Condition for claims: tasks for these kinds of partners whose turn it is in their sessions. */
export function isOfType(types: readonly string[]): (bind: Bind) => string {
  return (bind) => `j.target_type IN (${types.map(bind).join(', ')}) AND ${itsTurn('j')}`;
}

/** Claims of a group that waits for a node, for the node on which they run. */
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

  /** Hot: each stream of a reply (benchmark row `streams`). */
  async find(id: string): Promise<Job | undefined> {
    const [row] = await this.#rows('SELECT * FROM chat_tasks WHERE id = $1', [id]);
    return row && toJob(row);
  }

  /** Returns at most 200 that are not final and were asked for by the member, oldest first. */
  async activeOf(requested_by: number): Promise<Task[]> {
    return this.#open({ requested_by }, 200);
  }

  /** Returns how many of each member's run, and how many of these wait for an approval. */
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

  /** Returns those of a session that are not final. */
  openOf(session_id: string): Promise<Task[]> {
    return this.#open({ session_id });
  }

  /** The same for those that a member has asked for, or an employee works on. */
  openFor(member_id: number): Promise<Task[]> {
    return this.#open({ [Op.or]: [{ requested_by: member_id }, { member_id }] });
  }

  /** Returns how many wait in a session, and how many of a member's are not final. Benchmark row `sends`: each message. */
  async backlog({ session_id, member_id }: { session_id: string; member_id: number }): Promise<{ waiting: number; open: number }> {
    const [row] = await this.#db.rows<{ waiting: number; open: number }>(
      `SELECT (SELECT count(*) FROM chat_tasks WHERE session_id = $1 AND status = 'queued') AS waiting,
         (SELECT count(*) FROM chat_tasks WHERE requested_by = $2 AND ${open}) AS open`,
      [session_id, member_id],
    );
    return row ?? { waiting: 0, open: 0 };
  }

  /** Benchmark row `sends`: each message to an AI employee. */
  async insert(task: NewTask): Promise<Task> {
    const values = [...newColumns.map((column) => task[column]), JSON.stringify(task.scopes)];
    const [row] = await this.#rows(
      `INSERT INTO chat_tasks (${newColumns.join()}, scopes, status) VALUES (${placeholders(values)}, 'queued') RETURNING *`,
      values,
    );
    return toJob(row as TaskRow).task;
  }

  /**
   * Ends tasks that this owner runs; returns by their ids those that it does, if no more has joined. Benchmark row `sends`, and a lock:
   * the renewal of all leases takes rows in the same order, otherwise each of the two could wait for the other.
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
   * Counts a text that joins; undefined if the task is final or has as many as it may. A claim, and a lock: its end waits for this
   * transaction, and RETURNING tells whether it was still open.
   */
  async join(id: string, max: number): Promise<Task | undefined> {
    const sql = `UPDATE chat_tasks SET joins = joins + 1 WHERE id = $1 AND ${open} AND joins < $2 RETURNING *`;
    return this.#one(sql, [id, max]);
  }

  /** Shows that a task waits for a person, or runs again; undefined if this owner no longer runs it, which only RETURNING tells. */
  async wait(id: string, owner: string, status: 'waiting_approval' | 'running'): Promise<Task | undefined> {
    return this.#one(`UPDATE chat_tasks SET status = $1 WHERE id = $2 AND owner = $3 AND ${running} RETURNING *`, [status, id, owner]);
  }

  /** Ends a task that nobody has claimed; false if somebody has, or it is final. */
  async withdraw(id: string, reason: string, finished_at: string): Promise<boolean> {
    const end = { status: 'cancelled', reason, error: null, finished_at, lease_until: null } as const;
    const [ended] = await this.#model.update(end, { where: { id, status: 'queued' } });
    return ended > 0;
  }

  /** Removes the tasks of sessions; returns those that were not final. */
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

/** A row as a model gives it, or a claim: what is claimed has no error, which alone is JSON. */
export function toJob(row: TaskRow): Job {
  const { target_type, member_name, scopes, joins } = row;
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
  return { task, target_type, member_name, scopes: JSON.parse(scopes) as Scopes, joins };
}
