import type { Bind, Database } from '../../../kernel/contract/index.js';
import type { Run, RunStatus, RunTrigger } from '../contract.js';
import { type Columns, given, isOpen, isWaiting, places, unindexed } from './rows.js';
import { columns, type Row, toRun } from './run-row.js';
import { type RunSchedule, scheduleAsJson, scheduleOfJson } from './schedules.js';

/** A row that is added. Times are ms since the epoch. */
export interface NewRun {
  schedule_id: number;
  status: RunStatus;
  cause: RunTrigger;
  scheduled_for: number;
  missed_until?: number;
  missed_count?: number;
  /** When it was recorded; its start overwrites it. */
  started_at: number;
  /** Null while it is open. */
  finished_at: number | null;
  result: string;
  error_code: string | null;
  /** From when on it may start; null: not before those that are open. */
  ready_at: number | null;
}

/** How an attempt has ended. */
export interface Ended {
  id: number;
  schedule_id: number;
  status: Exclude<RunStatus, 'running' | 'skipped' | 'missed'>;
  finished_at: number | null;
  result: string;
  error_code: string | null;
  duration_ms: number | null;
  session_id: string | null;
  task_id: string | null;
  /** When the next attempt may start, where `status` is `queued`. */
  ready_at: number | null;
}

/** Where a run stands among those that wait to start. */
export interface Place {
  ready_at: number;
  id: number;
}

/** Why runs are cancelled, and when. */
export interface Cancel {
  now: number;
  code: string;
  result: string;
}

/** A run that was claimed, with its schedule as it is then. */
export interface Claimed {
  run: Run;
  /** Undefined where it is gone. */
  schedule: RunSchedule | undefined;
}

/** Its row. */
export interface ClaimedRow extends Row {
  ready_at: number | string;
  schedule: string | null;
}

/** Before all of them. */
export const start: Place = { ready_at: 0, id: 0 };

const newColumns = {
  schedule_id: 'INTEGER',
  status: 'TEXT',
  cause: 'TEXT',
  scheduled_for: 'BIGINT',
  missed_until: 'BIGINT',
  missed_count: 'INTEGER',
  started_at: 'BIGINT',
  finished_at: 'BIGINT',
  result: 'TEXT',
  error_code: 'TEXT',
  ready_at: 'BIGINT',
} as const satisfies Columns;
const endColumns = {
  status: 'TEXT',
  finished_at: 'BIGINT',
  result: 'TEXT',
  error_code: 'TEXT',
  duration_ms: 'INTEGER',
  session_id: 'TEXT',
  task_id: 'TEXT',
  ready_at: 'BIGINT',
} as const satisfies Columns;
/**
 * For PostgreSQL: the count, which depends on no row, is taken before the first of them, and always in the same order. Their ids are said
 * as an array: it expects a hundred rows of any JSON, and would rather read the whole table.
 */
const holding = {
  with: `WITH held AS MATERIALIZED (SELECT id FROM schedules_schedules WHERE id IN (SELECT r.schedule_id
    FROM ${given('postgres', { schedule_id: 'INTEGER' }, '$2')}) ORDER BY id FOR UPDATE)`,
  where: `AND (SELECT count(*) FROM held) >= 0
    AND schedules_runs.id = ANY (ARRAY(SELECT r.id FROM ${given('postgres', { id: 'INTEGER' }, '$2')}))`,
};
/** Table `schedules_runs`: what waits, runs and ends. */
export class RunStore {
  readonly #db: Database;
  /** Of the statement that ends attempts, what holds their schedules first. */
  readonly #hold: Readonly<Record<'with' | 'where', string>>;

  constructor(db: Database) {
    this.#db = db;
    this.#hold = db.dialect === 'postgres' ? holding : { with: '', where: '' };
  }

  /** Adds rows, but for a planned time that has one already. Gives those added. */
  async insert(runs: readonly NewRun[]): Promise<Run[]> {
    if (runs.length === 0) return [];
    const names = Object.keys(newColumns).join(', ');
    // Where a SELECT stands before it, SQLite takes ON for part of a join unless a WHERE ends that.
    const added = await this.#db.rows<Named & { id: number }>(
      `INSERT INTO schedules_runs (${names}, attempt) SELECT ${names}, 0 FROM ${given(this.#db.dialect, newColumns)} WHERE true
       ON CONFLICT DO NOTHING RETURNING id, schedule_id, cause, scheduled_for`,
      [JSON.stringify(runs)],
      { often: true },
    );
    const ids = new Map(added.map((row) => [nameOf(row), row.id]));
    return runs.flatMap((run) => {
      const id = ids.get(nameOf(run));
      return id === undefined ? [] : [addedRun(id, run)];
    });
  }

  /** How many runs of each schedule are open. */
  async openOf(schedule_ids: readonly number[]): Promise<Map<number, number>> {
    const rows = await this.#db.rows<{ schedule_id: number; runs: number | string }>(
      `SELECT schedule_id, count(*) AS runs FROM schedules_runs WHERE ${isOpen()} AND schedule_id IN (${places(schedule_ids)}) GROUP BY schedule_id`,
      schedule_ids,
    );
    return new Map(rows.map(({ schedule_id, runs }) => [schedule_id, Number(runs)]));
  }

  /** Ends the open runs of schedules; gives them. */
  async cancelOf(schedule_ids: readonly number[], end: Cancel): Promise<Run[]> {
    return this.#cancel(isOpen(), schedule_ids, end);
  }

  /** Only those that wait for others to end. */
  async cancelWaiting(schedule_ids: readonly number[], end: Cancel): Promise<Run[]> {
    return this.#cancel("status = 'queued' AND ready_at IS NULL", schedule_ids, end);
  }

  /** The same for one; undefined where it isn't open. */
  async cancel(id: number, { now, code, result }: Cancel): Promise<Run | undefined> {
    const [row] = await this.#db.rows<Row>(
      `UPDATE schedules_runs SET status = 'cancelled', error_code = $1, result = $2, finished_at = $3, owner = NULL, lease_until = NULL,
         ready_at = NULL
       WHERE ${isOpen()} AND id = $4 RETURNING ${columns}`,
      [code, result, now, id],
    );
    return row && toRun(row);
  }

  /** Ends attempts of this owner; gives the ids of those that were still its own. Holds their schedules: all take these before the runs. */
  async finish(owner: string, ended: readonly Ended[]): Promise<Set<number>> {
    if (ended.length === 0) return new Set();
    const set = Object.keys(endColumns).map((name) => `${name} = r.${name}`);
    const finished = await this.#db.rows<{ id: number }>(
      `${this.#hold.with} UPDATE schedules_runs SET ${set.join(', ')}, owner = NULL, lease_until = NULL
       FROM ${given(this.#db.dialect, { id: 'INTEGER', ...endColumns }, '$2')}
       WHERE schedules_runs.id = r.id AND ${unindexed('schedules_runs.status')} = 'running' AND ${unindexed('owner')} = $1 ${this.#hold.where}
       RETURNING schedules_runs.id`,
      [owner, JSON.stringify(ended)],
      { often: true },
    );
    return new Set(finished.map(({ id }) => id));
  }

  /** Lets the next of the queued runs of each schedule start, where no other of it is open. */
  async release(schedule_ids: readonly number[], now: number): Promise<void> {
    if (schedule_ids.length === 0) return;
    await this.#db.run(
      `UPDATE schedules_runs SET ready_at = $1 WHERE id IN (
         SELECT min(q.id) FROM schedules_runs q WHERE q.schedule_id IN (${places(schedule_ids, 2)}) AND ${isWaiting('q')}
         AND (SELECT o.id FROM schedules_runs o WHERE o.schedule_id = q.schedule_id AND ${isOpen('o')} AND o.ready_at IS NOT NULL LIMIT 1) IS NULL
         GROUP BY q.schedule_id)`,
      [now, ...schedule_ids],
    );
  }

  /** At most `limit` schedules of which a run waits its turn. */
  async withWaiting(limit: number): Promise<number[]> {
    const rows = await this.#db.rows<{ schedule_id: number }>(
      `SELECT DISTINCT schedule_id FROM schedules_runs WHERE status = 'queued' AND ready_at IS NULL ORDER BY schedule_id LIMIT $1`,
      [limit],
    );
    return rows.map(({ schedule_id }) => schedule_id);
  }

  async deleteOf(schedule_id: number): Promise<void> {
    await this.#db.run('DELETE FROM schedules_runs WHERE schedule_id = $1', [schedule_id]);
  }

  async #cancel(which: string, schedule_ids: readonly number[], { now, code, result }: Cancel): Promise<Run[]> {
    if (schedule_ids.length === 0) return [];
    const rows = await this.#db.rows<Row>(
      `UPDATE schedules_runs SET status = 'cancelled', error_code = $1, result = $2, finished_at = $3, owner = NULL, lease_until = NULL,
         ready_at = NULL
       WHERE ${which} AND schedule_id IN (${places(schedule_ids, 4)}) RETURNING ${columns}`,
      [code, result, now, ...schedule_ids],
    );
    return rows.map(toRun);
  }
}

/** Columns of a {@link ClaimedRow}. */
export function claimedColumns(dialect: Database['dialect']): string {
  return `${columns}, ready_at, ${scheduleAsJson(dialect, 'schedules_runs.schedule_id')} AS schedule`;
}

/** Condition for runs behind a place in the queue. */
export function isAfter(ready_at: number, id: number): (bind: Bind) => string {
  return (bind) => `(j.ready_at, j.id) > (${bind(ready_at)}, ${bind(id)})`;
}

export function toClaimed({ schedule, ready_at: _ready_at, ...row }: ClaimedRow): Claimed {
  return { run: toRun(row), schedule: schedule === null ? undefined : scheduleOfJson(schedule) };
}

/** By these an added row is told from the others. */
type Named = Pick<NewRun, 'schedule_id' | 'cause' | 'scheduled_for'>;

function nameOf({ schedule_id, cause, scheduled_for }: Named): string {
  return `${schedule_id} ${cause} ${scheduled_for}`;
}

/** What was never started. Each column by its name: to spread one into another takes longer than to store it. */
function addedRun(id: number, run: NewRun): Run {
  return toRun({
    id,
    schedule_id: run.schedule_id,
    status: run.status,
    cause: run.cause,
    scheduled_for: run.scheduled_for,
    missed_until: run.missed_until ?? null,
    missed_count: run.missed_count ?? null,
    started_at: run.started_at,
    finished_at: run.finished_at,
    result: run.result,
    error_code: run.error_code,
    attempt: 0,
    duration_ms: null,
    session_id: null,
    task_id: null,
  });
}

/** The later of two places in the queue. */
export function laterOf(one: Place, { ready_at: text, id }: Pick<ClaimedRow, 'ready_at' | 'id'>): Place {
  const ready_at = Number(text);
  return ready_at > one.ready_at || (ready_at === one.ready_at && id > one.id) ? { ready_at, id } : one;
}
