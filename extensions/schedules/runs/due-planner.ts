import { type Clock, type Database, isFailure } from '../../../kernel/contract/index.js';
import type { Run } from '../contract.js';
import type { NewRun, RunStore } from '../store/runs-sql.js';
import type { Advance, DueSchedule, ScheduleStore } from '../store/schedules-sql.js';
import type { Trigger, triggerOf } from '../triggers/trigger.js';
import { type Missed, planOf } from './plan.js';

export interface DuePlannerParts {
  db: Database;
  clock: Clock;
  schedules: ScheduleStore;
  runs: RunStore;
  /** Tells of rows that were added or have ended. */
  told: (runs: readonly Run[]) => void;
  /** Ends what runs of these, wherever it does. */
  stop: (runs: readonly Run[]) => void;
  /** There is something to start. */
  wake: () => void;
}

/** How many schedules are planned at a time: the planned times of more would block the event loop. */
const batch = 500;
/**
 * How many portions are in progress at once. PostgreSQL stores one while the next is planned here; SQLite runs one transaction at a time,
 * so a second lane would only wait.
 */
const lanes = { sqlite: 1, postgres: 2 } as const;
/** Schedules that are planned before runs may start beside the planning of more. */
const max_before_start = 10_000;
/** How many runs of a schedule with the policy `queue` may wait. */
const max_waiting = 100;

/** Makes a row of each planned time that has come, and moves its schedule on, both in one transaction. */
export class DuePlanner {
  readonly #parts: DuePlannerParts;
  #isBusy = false;

  constructor(parts: DuePlannerParts) {
    this.#parts = parts;
  }

  /** Plans all that is due. Ends between two batches where `ended` says so. */
  async plan(ended: () => boolean): Promise<void> {
    const { clock, schedules, wake } = this.#parts;
    if (!(await schedules.anyDue(clock.now()))) return;
    this.#isBusy = true;
    try {
      if ((await this.#take()) === batch) await this.#takeAll(ended);
    } finally {
      this.#isBusy = false;
    }
    wake();
  }

  /** Whether due schedules are being planned. Runs that started now would take turns at the database from them. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  async #takeAll(ended: () => boolean): Promise<void> {
    let count = batch;
    const takeOn = async () => {
      for (let taken = batch; taken === batch && !ended(); count += taken) {
        if (count >= max_before_start) {
          this.#isBusy = false;
          this.#parts.wake();
          count = 0;
        }
        taken = await this.#take();
      }
    };
    const taken = await Promise.allSettled(Array.from({ length: lanes[this.#parts.db.dialect] }, takeOn));
    for (const lane of taken) if (lane.status === 'rejected') throw lane.reason;
  }

  async #take(): Promise<number> {
    const { db, clock, schedules, runs, told, stop } = this.#parts;
    const now = clock.now();
    const { triggerOf } = await import('../triggers/trigger.js');
    const { due, added, replaced } = await db.transaction(async () => {
      const due = await schedules.due(now, batch);
      const open = await runs.openOf(due.map(({ id }) => id));
      const plans = due.map((schedule) => ({ schedule, ...rowsOf(schedule, { now, open: open.get(schedule.id) ?? 0, triggerOf }) }));
      const replacing = plans.filter(({ replaces }) => replaces).map(({ schedule }) => schedule.id);
      const replaced = await runs.cancelOf(replacing, { now, code: 'replaced', result: 'The next planned time came and took its place' });
      const added = await runs.insert(plans.flatMap(({ rows }) => rows));
      await schedules.advance(plans.map(({ advance }) => advance));
      return { due, added, replaced };
    });
    stop(replaced);
    told([...replaced, ...added]);
    return due.length;
  }
}

interface Rows {
  rows: NewRun[];
  advance: Advance;
  /** Whether what is open ends for it. */
  replaces: boolean;
}

interface Moment {
  now: number;
  /** How many of its runs are open. */
  open: number;
  triggerOf: typeof triggerOf;
}

function rowsOf(schedule: DueSchedule, { now, open, triggerOf }: Moment): Rows {
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

/** A stored trigger can be read, unless the rules of its time zone have gone; then this was its last time. */
function triggerAt(schedule: DueSchedule, due: number, read: typeof triggerOf): Trigger {
  try {
    return read(schedule, due);
  } catch (fault) {
    if (!isFailure(fault)) throw fault;
    return { next: () => undefined };
  }
}

function missedRow(schedule_id: number, { first, last, count }: Missed, now: number): NewRun {
  const result = `Nothing could run at ${count > 1 ? 'these times' : 'this time'}: the server was down, stood still, or its clock was set forward`;
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
 * Whether it starts at once, waits for those that are open, or is left out. At once is from its planned time on, and not by this
 * instance's clock: where that goes ahead, the others would wait as long.
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
  return { ...skipped, error_code: 'overlap', result: 'The run before was still open' };
}
