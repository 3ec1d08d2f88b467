import {
  type Bind,
  type ClaimFilter,
  type Clock,
  type Database,
  type JobTable,
  placeholders,
  type Scope,
  type SqlValue,
} from '../../../kernel/contract/index.js';
import type { Fault, TargetType, Task, TaskStatus } from '../contract.js';
import { type Group, itsTurn, ofGroup } from './groups.js';
import { tuple } from './places.js';

type Scopes = 'all' | readonly Scope[];

export interface Row extends Omit<Task, 'error'> {
  error: string | null;
  target_type: TargetType;
  member_name: string;
  scopes: string;
  joins: number;
}

/** A task as the runner needs it: the record, and what clients don't see. */
export interface Job {
  task: Task;
  target_type: TargetType;
  /** The name under which the reply is written. */
  member_name: string;
  scopes: Scopes;
  /** How many texts have joined it. */
  joins: number;
}

export interface NewTask {
  id: string;
  session_id: string;
  message_id: string;
  reply_id: string;
  target_type: TargetType;
  member_id: number;
  member_name: string;
  node_id: number | null;
  requested_by: number;
  scopes: Scopes;
  title: string;
  created_at: string;
}

export interface Outcome {
  /** Of the task. */
  id: string;
  status: Extract<TaskStatus, 'completed' | 'failed' | 'cancelled'>;
  reason: string | null;
  error: Fault | null;
  /** So many texts have joined it, and no more: otherwise it isn't ended. */
  joins?: number;
}

const open = "status IN ('queued', 'running', 'waiting_approval')";
const running = "status IN ('running', 'waiting_approval')";

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

const outcome = 'status = $1, reason = $2, error = $3, finished_at = $4, lease_until = NULL';

/** Table `chat_tasks`. */
export class Tasks {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async find(id: string): Promise<Job | undefined> {
    const [row] = await this.#db.rows<Row>('SELECT * FROM chat_tasks WHERE id = $1', [id]);
    return row && toJob(row);
  }

  /** At most 200 that are not final and were asked for by the member, oldest first. */
  async activeOf(member_id: number): Promise<Task[]> {
    const rows = await this.#db.rows<Row>(`SELECT * FROM chat_tasks WHERE requested_by = $1 AND ${open} ORDER BY created_at LIMIT 200`, [
      member_id,
    ]);
    return rows.map((row) => toJob(row).task);
  }

  /** How many of each member's run, and how many of these wait for an approval. */
  async working(member_ids: readonly number[]): Promise<Map<number, { running: number; waiting: number }>> {
    const rows = await this.#db.rows<{ member_id: number; status: TaskStatus; tasks: number }>(
      `SELECT member_id, status, COUNT(*) AS tasks FROM chat_tasks WHERE ${running} AND member_id IN (${placeholders(member_ids)})
       GROUP BY member_id, status`,
      member_ids,
    );
    const found = new Map<number, { running: number; waiting: number }>();
    for (const { member_id, status, tasks } of rows) {
      const counts = found.get(member_id) ?? { running: 0, waiting: 0 };
      counts[status === 'waiting_approval' ? 'waiting' : 'running'] = Number(tasks);
      found.set(member_id, counts);
    }
    return found;
  }

  /** Those of a session that are not final. */
  openOf(session_id: string): Promise<Task[]> {
    return this.#open('session_id = $1', session_id);
  }

  /** The same of those that a member has asked for, or an employee works on. */
  openFor(member_id: number): Promise<Task[]> {
    return this.#open('(requested_by = $1 OR member_id = $1)', member_id);
  }

  /** How many wait in a session, and how many of a member's are not final. */
  async backlog({ session_id, member_id }: { session_id: string; member_id: number }): Promise<{ waiting: number; open: number }> {
    const [row] = await this.#db.rows<{ waiting: number | string; open: number | string }>(
      `SELECT (SELECT count(*) FROM chat_tasks WHERE session_id = $1 AND status = 'queued') AS waiting,
         (SELECT count(*) FROM chat_tasks WHERE requested_by = $2 AND ${open}) AS open`,
      [session_id, member_id],
    );
    return { waiting: Number(row?.waiting ?? 0), open: Number(row?.open ?? 0) };
  }

  async insert(task: NewTask): Promise<Task> {
    const [row] = await this.#db.rows<Row>(
      `INSERT INTO chat_tasks (id, session_id, message_id, reply_id, target_type, member_id, member_name, requested_by, scopes, title, status,
         created_at, node_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'queued', $11, $12) RETURNING *`,
      [
        task.id,
        task.session_id,
        task.message_id,
        task.reply_id,
        task.target_type,
        task.member_id,
        task.member_name,
        task.requested_by,
        JSON.stringify(task.scopes),
        task.title,
        task.created_at,
        task.node_id,
      ],
    );
    return toJob(row as Row).task;
  }

  /** Ends tasks that this owner runs; gives by their ids those that it does, and that no more has joined. */
  async finish(owner: string, outcomes: readonly Outcome[], now: string): Promise<ReadonlyMap<string, Task>> {
    const values: SqlValue[] = [now, owner];
    const rows = outcomes.map(({ id, status, reason, error, joins }) =>
      tuple(values, [id, status, reason, error && JSON.stringify(error), joins ?? null]),
    );
    const ids = outcomes.map(({ id }) => `$${values.push(id)}`);
    // The renewal of all leases takes rows in the same order: otherwise each of the two could wait for the other.
    const inOrder = `SELECT o.id FROM chat_tasks o WHERE o.id IN (${ids.join()}) ORDER BY o.id FOR UPDATE`;
    const ended = await this.#db.rows<Row>(
      `UPDATE chat_tasks SET status = v.column2, reason = v.column3, error = v.column4, finished_at = $1, lease_until = NULL
       FROM (VALUES ${rows.join()}) AS v WHERE chat_tasks.id = v.column1 AND owner = $2 AND ${running}
         AND joins = COALESCE(CAST(v.column5 AS INTEGER), joins) AND chat_tasks.id IN (${inOrder}) RETURNING *`,
      values,
    );
    return new Map(ended.map((row) => [row.id, toJob(row).task]));
  }

  /** Counts a text that joins; undefined where the task is final or has as many as it may. Its end waits for this transaction. */
  async join(id: string, max: number): Promise<Task | undefined> {
    const [row] = await this.#db.rows<Row>(`UPDATE chat_tasks SET joins = joins + 1 WHERE id = $1 AND ${open} AND joins < $2 RETURNING *`, [
      id,
      max,
    ]);
    return row && toJob(row).task;
  }

  /** Shows that a task waits for a person, or runs again; undefined where this owner no longer runs it. */
  async wait(id: string, owner: string, status: 'waiting_approval' | 'running'): Promise<Task | undefined> {
    const [row] = await this.#db.rows<Row>(`UPDATE chat_tasks SET status = $1 WHERE id = $2 AND owner = $3 AND ${running} RETURNING *`, [
      status,
      id,
      owner,
    ]);
    return row && toJob(row).task;
  }

  /** Ends a task that nobody has claimed; false where somebody has, or it is final. */
  async withdraw(id: string, reason: string, now: string): Promise<boolean> {
    const values = ['cancelled', reason, null, now, id];
    return (await this.#db.run(`UPDATE chat_tasks SET ${outcome} WHERE id = $5 AND status = 'queued'`, values)) > 0;
  }

  /** Removes the tasks of sessions; gives those that were not final. */
  async deleteOf(sessions: readonly string[]): Promise<Task[]> {
    const among = `session_id IN (${placeholders(sessions)})`;
    const rows = await this.#db.rows<Row>(`SELECT * FROM chat_tasks WHERE ${among} AND ${open}`, sessions);
    await this.#db.run(`DELETE FROM chat_tasks WHERE ${among}`, sessions);
    return rows.map((row) => toJob(row).task);
  }

  async #open(which: string, whose: string | number): Promise<Task[]> {
    const rows = await this.#db.rows<Row>(`SELECT * FROM chat_tasks WHERE ${which} AND ${open} ORDER BY created_at`, [whose]);
    return rows.map((row) => toJob(row).task);
  }
}

export function toJob(row: Row): Job {
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
    error: row.error === null ? null : (JSON.parse(row.error) as Fault),
  };
  return { task, target_type, member_name, scopes: JSON.parse(scopes) as Scopes, joins };
}
