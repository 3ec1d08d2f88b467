import { type Clock, type Database, isFailure } from '../../../kernel/contract/index.js';
import type { Run } from '../contract.js';
import type { NewRun, RunStore } from '../store/runs-sql.js';
import type { Advance, DueSchedule, ScheduleStore } from '../store/schedules-sql.js';
import type { Trigger, triggerOf } from '../triggers/trigger.js';
import { type MissedTimes, planOf } from './plan.js';

export interface DuePlannerParts {
  db: Database;
  clock: Clock;
  schedules: ScheduleStore;
  runs: RunStore;
  /** Announces rows that were added or have ended. */
  onRunsChanged: (runs: readonly Run[]) => void;
  /** Stops the runs with these ids, on whichever instance. */
  stop: (runs: readonly Run[]) => void;
  /** Announces that there are runs to start. */
  wake: () => void;
}

/** Schedules planned at a time; more would block the event loop. */
const batch = 500;
/**
 * Number of batches in progress at once. PostgreSQL stores one while the next is planned here; SQLite runs one
 * transaction at a time, so a second lane would only wait.
 */
const max_parallel = { sqlite: 1, postgres: 2 } as const;
/** Schedules that are planned before runs may start beside the planning of more. */
const max_before_start = 10_000;
/** Limit of waiting runs for a schedule with the policy `queue`. */
const max_waiting = 100;

/** Creates a run for each planned time that is due and advances its schedule, in one transaction. */
export class DuePlanner {
  readonly #parts: DuePlannerParts;
  #isBusy = false;

  constructor(parts: DuePlannerParts) {
    this.#parts = parts;
  }

  /** Plans everything that is due. Stops between two batches when `isStopped` returns true. */
  async plan(isStopped: () => boolean): Promise<void> {
    const { clock, schedules, wake } = this.#parts;
    if (!(await schedules.anyDue(clock.now()))) return;
    this.#isBusy = true;
    try {
      if ((await this.#planBatch()) === batch) await this.#planAll(isStopped);
    } finally {
      this.#isBusy = false;
    }
    wake();
  }

  /** Whether due schedules are being planned. Runs that started now would take turns at the database from them. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  async #planAll(ended: () => boolean): Promise<void> {
    let count = batch;
    const runLane = async () => {
      for (let planned = batch; planned === batch && !ended(); count += planned) {
        if (count >= max_before_start) {
          this.#isBusy = false;
          this.#parts.wake();
          count = 0;
        }
        planned = await this.#planBatch();
      }
    };
    const taken = await Promise.allSettled(Array.from({ length: max_parallel[this.#parts.db.dialect] }, runLane));
    for (const lane of taken) if (lane.status === 'rejected') throw lane.reason;
  }

  async #planBatch(): Promise<number> {
    const { db, clock, schedules, runs, onRunsChanged, stop } = this.#parts;
    const now = clock.now();
    const { triggerOf } = await import('../triggers/trigger.js');
    const { due, added, replaced } = await db.transaction(async () => {
      const due = await schedules.due(now, batch);
      const open = await runs.openOf(due.map(({ id }) => id));
      const plans = due.map((schedule) => ({ schedule, ...rowsOf(schedule, { now, open: open.get(schedule.id) ?? 0, triggerOf }) }));
      const replacing = plans.filter(({ replaces }) => replaces).map(({ schedule }) => schedule.id);
      const replaced = await runs.cancelOf(replacing, { now, code: 'replaced', result: 'Replaced by the run of the next planned time' });
      const added = await runs.insert(plans.flatMap(({ rows }) => rows));
      await schedules.advance(plans.map(({ advance }) => advance));
      return { due, added, replaced };
    });
    stop(replaced);
    onRunsChanged([...replaced, ...added]);
    return due.length;
  }
}

interface PlannedRows {
  rows: NewRun[];
  advance: Advance;
  /** Whether the open runs end for it. */
  replaces: boolean;
}

interface PlanContext {
  now: number;
  /** Number of its open runs. */
  open: number;
  triggerOf: typeof triggerOf;
}

function rowsOf(schedule: DueSchedule, { now, open, triggerOf }: PlanContext): PlannedRows {
  const { id: schedule_id, catch_up } = schedule;
  const due = schedule.next_at as number;
  const { missed, run, next } = planOf(triggerAt(schedule, due, triggerOf), { due, now, catch_up });
  const rows: NewRun[] = missed ? [missedRow(schedule_id, missed, now)] : [];
  const replaces = run !== undefined && open > 0 && schedule.overlap_policy === 'replace';
  if (run) {
    const { cause, scheduled_for } = run;
    const { status, finished_at, result, error_code, ready_at } = startOf(schedule, { now, at: scheduled_for }, replaces ? 0 : open);
    rows.push({ schedule_id, status, cause, scheduled_for, started_at: now, finished_at, result, error_code, ready_at });
  }
  return { rows, advance: { id: schedule_id, next_at: next ?? null }, replaces };
}

/** Reads a stored trigger; it has no further time if the rules of its time zone no longer exist. */
function triggerAt(schedule: DueSchedule, due: number, read: typeof triggerOf): Trigger {
  try {
    return read(schedule, due);
  } catch (fault) {
    if (!isFailure(fault)) throw fault;
    return { next: () => undefined };
  }
}

function missedRow(schedule_id: number, { first, last, count }: MissedTimes, now: number): NewRun {
  const result = `Nothing could run at ${count > 1 ? 'these times' : 'this time'}: the server was down, suspended, or its clock was set forward`;
  return {
    schedule_id,
    status: 'missed',
    cause: 'schedule',
    scheduled_for: first,
    missed_until: last,
    missed_count: count,
    started_at: now,
    finished_at: now,
    result,
    error_code: 'missed',
    ready_at: null,
  };
}

/**
 * Returns whether it starts immediately, waits for the open runs, or is skipped. Immediately means from its planned
 * time on, not by this instance's clock: if that is ahead, the others would wait that much longer.
 */
function startOf(
  { overlap_policy }: DueSchedule,
  { now, at }: { now: number; at: number },
  open: number,
): Pick<NewRun, 'status' | 'finished_at' | 'result' | 'error_code' | 'ready_at'> {
  const queued = { status: 'queued', finished_at: null, result: '', error_code: null } as const;
  if (open === 0) return { ...queued, ready_at: at };
  if (overlap_policy === 'queue' && open < max_waiting) return { ...queued, ready_at: null };
  const skipped = { status: 'skipped', finished_at: now, ready_at: null } as const;
  if (overlap_policy === 'queue') return { ...skipped, error_code: 'queue_full', result: `${max_waiting} runs of it were open` };
  return { ...skipped, error_code: 'overlap', result: 'The previous run was still open' };
}
