import type { Database, Scope, SqlValue } from '../../../kernel/contract/index.js';
import type { Fault, TargetType, Task, TaskStatus } from '../contract.js';
import { type Group, groupValues, itsTurn, ofGroup } from './groups.js';
import { places, tuple } from './places.js';

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

export interface Claim {
  target_types: readonly string[];
  ids?: readonly string[];
  /** Members. */
  not_for?: readonly number[];
  /** Those of a group that waits for a node, and the node on which they run; left out: those that need none. */
  place?: ClaimedPlace | undefined;
  /** How many, at most. Default 1. */
  most?: number;
  now: string;
}

export interface ClaimedPlace {
  group: Group;
  node_id: number | null;
}

const open = "status IN ('queued', 'running', 'waiting_approval')";
const running = "status IN ('running', 'waiting_approval')";
const outcome = 'status = $1, reason = $2, error = $3, finished_at = $4, lease_until = NULL';

/** How long a claim holds without a heartbeat. */
const lease_ms = 15_000;

/** Table `chat_tasks`. Leases are in the database's own time, so that instances' clocks needn't agree. */
export class Tasks {
  readonly #db: Database;
  readonly #now: string;
  readonly #skipLocked: string;

  constructor(db: Database) {
    this.#db = db;
    const postgres = db.dialect === 'postgres';
    this.#now = postgres
      ? '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
      : "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";
    this.#skipLocked = postgres ? 'FOR UPDATE OF t SKIP LOCKED' : '';
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
      `SELECT member_id, status, COUNT(*) AS tasks FROM chat_tasks WHERE ${running} AND member_id IN (${places(member_ids)})
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
  async crowd({ session_id, member_id }: { session_id: string; member_id: number }): Promise<{ waiting: number; open: number }> {
    const [row] = await this.#db.rows<{ waiting: number | string; open: number | string }>(
      `SELECT (SELECT count(*) FROM chat_tasks WHERE session_id = $1 AND status = 'queued') AS waiting,
         (SELECT count(*) FROM chat_tasks WHERE requested_by = $2 AND ${open}) AS open`,
      [session_id, member_id],
    );
    return { waiting: Number(row?.waiting ?? 0), open: Number(row?.open ?? 0) };
  }

  /** Of those that need no node. */
  async anyWaiting(): Promise<boolean> {
    return (await this.#db.rows(`SELECT 1 AS waiting FROM chat_tasks WHERE status = 'queued' AND node_id IS NULL LIMIT 1`)).length > 0;
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

  /**
   * Claims the longest waiting tasks whose turn it is in their sessions; of `ids` alone where they are
   * given, and none of `not_for`, who have enough. On PostgreSQL instances skip what another is just claiming.
   */
  async claim(owner: string, { target_types, ids, not_for = [], place: placed, most = 1, now }: Claim): Promise<Job[]> {
    const values: SqlValue[] = [owner, now];
    const place = (value: string | number) => `$${values.push(value)}`;
    const types = target_types.map(place).join(', ');
    const among = ids ? `AND t.id IN (${ids.map(place).join(', ')})` : '';
    const others = not_for.length > 0 ? `AND t.requested_by NOT IN (${not_for.map(place).join(', ')})` : '';
    const where = placed ? ofGroup(values.length) : `t.status = 'queued' AND t.node_id IS NULL`;
    if (placed) values.push(...groupValues(placed.group));
    const there = placed ? `, node_id = $${values.push(placed.node_id)}, reason = NULL` : '';
    const longest = `SELECT t.id FROM chat_tasks t WHERE ${where} AND t.target_type IN (${types}) ${among} ${others} AND ${itsTurn}
      ORDER BY t.created_at LIMIT ${most} ${this.#skipLocked}`;
    // Of a list of rows PostgreSQL might make another one for each task that it looks at.
    const picked = this.#db.dialect === 'postgres' ? `= ANY (ARRAY(${longest}))` : `IN (${longest})`;
    const rows = await this.#db.rows<Row>(
      `UPDATE chat_tasks SET status = 'running', owner = $1, started_at = $2, lease_until = ${this.#now} + ${lease_ms} ${there}
       WHERE id ${picked} RETURNING *`,
      values,
    );
    return rows.map(toJob);
  }

  /** Holds claimed tasks for another lease; gives those that are still this owner's. */
  async hold(owner: string, ids: readonly string[]): Promise<string[]> {
    const rows = await this.#db.rows<{ id: string }>(
      `UPDATE chat_tasks SET lease_until = ${this.#now} + ${lease_ms} WHERE owner = $1 AND ${running} AND id IN (${this.#inOrder(places(ids, 2))})
       RETURNING id`,
      [owner, ...ids],
    );
    return rows.map(({ id }) => id);
  }

  /** Ends tasks that this owner runs; gives by their ids those that it does, and that no more has joined. */
  async finish(owner: string, outcomes: readonly Outcome[], now: string): Promise<ReadonlyMap<string, Task>> {
    const values: SqlValue[] = [now, owner];
    const rows = outcomes.map(({ id, status, reason, error, joins }) =>
      tuple(values, [id, status, reason, error && JSON.stringify(error), joins ?? null]),
    );
    const ids = outcomes.map(({ id }) => `$${values.push(id)}`);
    const ended = await this.#db.rows<Row>(
      `UPDATE chat_tasks SET status = v.column2, reason = v.column3, error = v.column4, finished_at = $1, lease_until = NULL
       FROM (VALUES ${rows.join()}) AS v WHERE chat_tasks.id = v.column1 AND owner = $2 AND ${running}
         AND joins = COALESCE(CAST(v.column5 AS INTEGER), joins) AND chat_tasks.id IN (${this.#inOrder(ids.join())}) RETURNING *`,
      values,
    );
    return new Map(ended.map((row) => [row.id, toJob(row).task]));
  }

  /** Counts a text that joins; undefined where the task is final or has as many as it may. Its end waits for this transaction. */
  async join(id: string, most: number): Promise<Task | undefined> {
    const [row] = await this.#db.rows<Row>(`UPDATE chat_tasks SET joins = joins + 1 WHERE id = $1 AND ${open} AND joins < $2 RETURNING *`, [
      id,
      most,
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

  /** Who has asked for tasks whose lease has lapsed; a look that takes no turn among the writes. */
  async requestedAndLapsed(): Promise<number[]> {
    return this.#requested(`lease_until < ${this.#now}`, []);
  }

  /** The same for what any other owner has claimed. */
  async requestedOfOthers(owner: string): Promise<number[]> {
    return this.#requested('owner <> $1', [owner]);
  }

  /**
   * Ends the claimed tasks whose lease has lapsed. With `all_but`, those of every other owner: where
   * only one process can have the database, they are dead.
   */
  async reap(error: Fault, { now, all_but }: { now: string; all_but?: string | undefined }): Promise<Job[]> {
    const values: SqlValue[] = ['failed', error.code, JSON.stringify(error), now];
    if (all_but !== undefined) values.push(all_but);
    const dead = all_but === undefined ? `lease_until < ${this.#now}` : 'owner <> $5';
    const rows = await this.#db.rows<Row>(`UPDATE chat_tasks SET ${outcome} WHERE ${running} AND ${dead} RETURNING *`, values);
    return rows.map(toJob);
  }

  /** Removes the tasks of sessions; gives those that were not final. */
  async deleteOf(sessions: readonly string[]): Promise<Task[]> {
    const among = `session_id IN (${places(sessions)})`;
    const rows = await this.#db.rows<Row>(`SELECT * FROM chat_tasks WHERE ${among} AND ${open}`, sessions);
    await this.#db.run(`DELETE FROM chat_tasks WHERE ${among}`, sessions);
    return rows.map((row) => toJob(row).task);
  }

  async #open(which: string, whose: string | number): Promise<Task[]> {
    const rows = await this.#db.rows<Row>(`SELECT * FROM chat_tasks WHERE ${which} AND ${open} ORDER BY created_at`, [whose]);
    return rows.map((row) => toJob(row).task);
  }

  async #requested(which: string, values: readonly SqlValue[]): Promise<number[]> {
    const rows = await this.#db.rows<{ lapsed: number }>(
      `SELECT DISTINCT requested_by AS lapsed FROM chat_tasks WHERE ${running} AND ${which}`,
      values,
    );
    return rows.map(({ lapsed }) => lapsed);
  }

  /**
   * Of several tasks, for an update of them: on PostgreSQL their rows are locked in one order, whichever way the update finds them.
   * Otherwise the renewal of all leases and the ends of some might wait for each other.
   */
  #inOrder(ids: string): string {
    return this.#db.dialect === 'postgres' ? `SELECT o.id FROM chat_tasks o WHERE o.id IN (${ids}) ORDER BY o.id FOR UPDATE` : ids;
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
