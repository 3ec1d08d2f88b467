import {
  asJson,
  type Bind,
  byIds,
  type Clock,
  type Database,
  type JobTable,
  lockFirst,
  placeholders,
  rowsOfJson,
  type SqlValue,
} from '../../../kernel/contract/index.js';
import type { Run, RunQuery, RunStatus } from '../contract.js';
import type { Models, RunRow, ScheduleRow } from '../models.js';
import { type RecordRow, recordColumns, toRun } from './run-row.js';

/** A row to add. */
export type NewRun = Omit<RecordRow, 'id' | 'missed_until' | 'missed_count' | 'attempt' | 'duration_ms' | 'session_id' | 'task_id'> &
  Partial<Record<'missed_until' | 'missed_count', number>> &
  Pick<RunRow, 'ready_at'>;

/** The end of an attempt. `ready_at` is when the next one may start, if `status` is `queued`. */
export interface AttemptEnd
  extends Pick<
    RunRow,
    'id' | 'schedule_id' | 'finished_at' | 'result' | 'error_code' | 'duration_ms' | 'session_id' | 'task_id' | 'ready_at'
  > {
  status: Exclude<RunStatus, 'running' | 'skipped' | 'missed'>;
}

/** Position of a run among those that wait to start. */
export interface QueuePosition {
  ready_at: number;
  id: number;
}

/** Why and when runs are cancelled. */
export interface Cancel {
  now: number;
  code: string;
  result: string;
}

const scheduleColumns = [
  'id',
  'name',
  'action',
  'params',
  'timeout_s',
  'retries',
  'retry_delay_s',
  'notify',
  'created_by',
  'room_id',
] as const;

/** The parts of a schedule that a run needs. */
export type RunSchedule = Pick<ScheduleRow, (typeof scheduleColumns)[number]>;

/** A claimed run with its current schedule. */
export interface Claimed {
  run: Run;
  /** Undefined if it no longer exists. */
  schedule: RunSchedule | undefined;
}

/** The run's row. */
export interface ClaimedRow extends RecordRow {
  ready_at: number;
  schedule: string | null;
}

/** Before all positions. */
export const start: QueuePosition = { ready_at: 0, id: 0 };

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
} as const;
const endColumns = {
  status: 'TEXT',
  finished_at: 'BIGINT',
  result: 'TEXT',
  error_code: 'TEXT',
  duration_ms: 'INTEGER',
  session_id: 'TEXT',
  task_id: 'TEXT',
  ready_at: 'BIGINT',
} as const;

/** Whether a run is open. SQLite uses the index for these only if the condition matches the index's text exactly. */
const isOpen = (run = 'schedules_runs') => `${run}.status IN ('queued', 'running')`;

/** Whether a run waits for another to end: among open runs only these have no start time. */
export const isWaiting = (run: string) => `${isOpen(run)} AND ${run}.ready_at IS NULL`;

/**
 * Hides a column from the indexes. A run is open for seconds, so statistics say that there are almost none; with its
 * indexes each statement would read all open runs when ten thousand are due at once.
 */
const unindexed = (column: string) => `${column} || ''`;

/** Parts of claims. Jobs are due by this instance's clock, as planned times are. */
export function jobTable(db: Database, clock: Pick<Clock, 'now'>): JobTable {
  return {
    name: 'schedules_runs',
    ready: (bind) => `j.status = 'queued' AND j.ready_at <= ${bind(clock.now())}`,
    active: "status = 'running'",
    order: 'j.ready_at, j.id',
    order_by_index: true,
    start: (bind) => `status = 'running', attempt = attempt + 1, started_at = ${bind(clock.now())}`,
    returning: claimedColumns(db),
  };
}

/** Table `schedules_runs`: waiting, running and ended runs. */
export class RunStore {
  readonly #db: Database;
  readonly #model: Models['runs'];

  constructor(db: Database, model: Models['runs']) {
    this.#db = db;
    this.#model = model;
  }

  async find(schedule_id: number, id: number): Promise<Run | undefined> {
    const row: RecordRow | null = await this.#model.findOne({ ...asRecord, where: { id, schedule_id } });
    return row ? toRun(row) : undefined;
  }

  /** Returns a page of a schedule's history, latest first. */
  async page(schedule_id: number, { status, limit, offset }: RunQuery): Promise<{ items: Run[]; total: number }> {
    const where = { schedule_id, ...(status && { status }) };
    const { rows, count } = await this.#model.findAndCountAll({ ...asRecord, where, order: [['id', 'DESC']], limit, offset });
    return { items: rows.map(toRun), total: count };
  }

  /**
   * Benchmark row `schedules`: hundreds of rows in one statement. Adds all except planned times that already have a
   * row; returns those added.
   */
  async insert(runs: readonly NewRun[]): Promise<Run[]> {
    if (runs.length === 0) return [];
    const names = Object.keys(newColumns).join(', ');
    // After a SELECT, SQLite parses ON as part of a join unless a WHERE precedes it.
    const added = await this.#db.rows<RunKey & { id: number }>(
      `INSERT INTO schedules_runs (${names}, attempt) SELECT ${names}, 0 FROM ${rowsOfJson(this.#db, newColumns)} WHERE true
       ON CONFLICT DO NOTHING RETURNING id, schedule_id, cause, scheduled_for`,
      [JSON.stringify(runs)],
      { often: true },
    );
    const ids = new Map(added.map((row) => [keyOf(row), row.id]));
    return runs.flatMap((run) => {
      const id = ids.get(keyOf(run));
      return id === undefined ? [] : [addedRun(id, run)];
    });
  }

  /** Benchmark row `schedules`: counts the open runs of each schedule, within the claim of each batch that is due. */
  async openOf(schedule_ids: readonly number[]): Promise<Map<number, number>> {
    const rows = await this.#db.rows<{ schedule_id: number; runs: number }>(
      `SELECT schedule_id, count(*) AS runs FROM schedules_runs WHERE ${isOpen()} AND schedule_id IN (${placeholders(schedule_ids)})
       GROUP BY schedule_id`,
      schedule_ids,
    );
    return new Map(rows.map(({ schedule_id, runs }) => [schedule_id, runs]));
  }

  /** Ends the open runs of schedules; returns them. */
  cancelOf(schedule_ids: readonly number[], end: Cancel): Promise<Run[]> {
    return this.#cancel(`${isOpen()} AND schedule_id`, schedule_ids, end);
  }

  /** Ends only those that wait for others to end. */
  cancelWaiting(schedule_ids: readonly number[], end: Cancel): Promise<Run[]> {
    return this.#cancel("status = 'queued' AND ready_at IS NULL AND schedule_id", schedule_ids, end);
  }

  /** Ends one run; undefined if it isn't open. */
  async cancel(id: number, end: Cancel): Promise<Run | undefined> {
    const [run] = await this.#cancel(`${isOpen()} AND id`, [id], end);
    return run;
  }

  /**
   * A lock, and benchmark row `schedules`. Ends attempts of this owner; returns the ids of those that it still owned.
   * Locks their schedules: everyone locks these before the runs.
   */
  async finish(owner: string, ended: readonly AttemptEnd[]): Promise<Set<number>> {
    if (ended.length === 0) return new Set();
    const set = Object.keys(endColumns).map((name) => `${name} = r.${name}`);
    const idsOf = (column: string) => `SELECT r.${column} FROM ${rowsOfJson(this.#db, { [column]: 'INTEGER' }, '$2')}`;
    const { before, locked } = lockFirst(this.#db, 'schedules_schedules', idsOf('schedule_id'));
    const finished = await this.#db.rows<{ id: number }>(
      `${before} UPDATE schedules_runs SET ${set.join(', ')}, owner = NULL, lease_until = NULL
       FROM ${rowsOfJson(this.#db, { id: 'INTEGER', ...endColumns }, '$2')}
       WHERE schedules_runs.id = r.id AND ${unindexed('schedules_runs.status')} = 'running' AND ${unindexed('owner')} = $1
         AND ${locked} AND ${byIds(this.#db, 'schedules_runs.id', idsOf('id'))}
       RETURNING schedules_runs.id`,
      [owner, JSON.stringify(ended)],
      { often: true },
    );
    return new Set(finished.map(({ id }) => id));
  }

  /** A claim: lets the next queued run of each schedule start if no other run of it is open. */
  async release(schedule_ids: readonly number[], now: number): Promise<void> {
    if (schedule_ids.length === 0) return;
    await this.#db.run(
      `UPDATE schedules_runs SET ready_at = $1 WHERE id IN (
         SELECT min(q.id) FROM schedules_runs q WHERE q.schedule_id IN (${placeholders(schedule_ids, 2)}) AND ${isWaiting('q')}
         AND (SELECT o.id FROM schedules_runs o WHERE o.schedule_id = q.schedule_id AND ${isOpen('o')} AND o.ready_at IS NOT NULL LIMIT 1) IS NULL
         GROUP BY q.schedule_id)`,
      [now, ...schedule_ids],
    );
  }

  /** Returns at most `limit` schedules that have a queued run. */
  async withWaiting(limit: number): Promise<number[]> {
    const where = { status: 'queued', ready_at: null } as const;
    const one = { attributes: ['schedule_id'], group: ['schedule_id'], order: ['schedule_id'], raw: true };
    return (await this.#model.findAll({ ...one, where, limit })).map(({ schedule_id }) => schedule_id);
  }

  async deleteOf(schedule_id: number): Promise<void> {
    await this.#model.destroy({ where: { schedule_id } });
  }

  /** A claim: RETURNING lists the runs that were ended by this statement. */
  async #cancel(which: string, ids: readonly number[], { now, code, result }: Cancel): Promise<Run[]> {
    if (ids.length === 0) return [];
    const values: SqlValue[] = [code, result, now, ...ids];
    const rows = await this.#db.rows<RecordRow>(
      `UPDATE schedules_runs SET status = 'cancelled', error_code = $1, result = $2, finished_at = $3, owner = NULL, lease_until = NULL,
         ready_at = NULL
       WHERE ${which} IN (${placeholders(ids, 4)}) RETURNING ${recordColumns.join()}`,
      values,
    );
    return rows.map(toRun);
  }
}

const asRecord = { attributes: [...recordColumns], raw: true };

/** Columns of a {@link ClaimedRow}, returned by a claim. */
function claimedColumns(db: Database): string {
  const schedule = `SELECT ${asJson(db, 's', scheduleColumns)} FROM schedules_schedules s WHERE s.id = schedules_runs.schedule_id`;
  return `${recordColumns.join()}, ready_at, (${schedule}) AS schedule`;
}

/** Condition for runs after a position in the queue. */
export function isAfter(ready_at: number, id: number): (bind: Bind) => string {
  return (bind) => `(j.ready_at, j.id) > (${bind(ready_at)}, ${bind(id)})`;
}

export function toClaimed({ schedule, ready_at: _ready_at, ...row }: ClaimedRow): Claimed {
  return { run: toRun(row), schedule: schedule === null ? undefined : scheduleOf(schedule) };
}

function scheduleOf(json: string): RunSchedule {
  const row = JSON.parse(json) as Omit<RunSchedule, 'params'> & { params: string };
  return Object.assign(row, { params: JSON.parse(row.params) as object });
}

/** Columns that identify an added row. */
type RunKey = Pick<NewRun, 'schedule_id' | 'cause' | 'scheduled_for'>;

function keyOf({ schedule_id, cause, scheduled_for }: RunKey): string {
  return `${schedule_id} ${cause} ${scheduled_for}`;
}

/** A run that never started. Columns are copied by name: spreading one into another takes longer than storing it. */
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

/** Returns the later of two positions in the queue. */
export function laterOf(one: QueuePosition, { ready_at, id }: QueuePosition): QueuePosition {
  return ready_at > one.ready_at || (ready_at === one.ready_at && id > one.id) ? { ready_at, id } : one;
}
