import type { Database } from '../../../kernel/contract/index.js';
import type { Run, SchedulesEvents } from '../contract.js';
import type { RunSchedule, RunStore } from '../store/runs-sql.js';
import type { ScheduleStore, Tally } from '../store/schedules-sql.js';

/** A schedule is disabled after so many failed runs in a row. */
const max_failures = 5;
/** Schedules that are healed at once. */
const max_healed = 200;

/** What of a schedule concerns those who are told of its runs. */
type Reported = Pick<RunSchedule, 'name' | 'notify' | 'created_by'>;

interface EndingsParts {
  schedules: ScheduleStore;
  runs: RunStore;
  emit: <Topic extends keyof SchedulesEvents>(topic: Topic, payload: SchedulesEvents[Topic]) => Promise<void>;
}

/** What the end of runs means for their schedules: recorded in the transaction in which they end. */
export class Endings {
  readonly #parts: EndingsParts;

  constructor(parts: EndingsParts) {
    this.#parts = parts;
  }

  /** Counts failures, tells whom it concerns, and lets the next of those start that wait their turn. */
  async record(ended: readonly Run[], known: ReadonlyMap<number, Reported>, now: number): Promise<void> {
    const { schedules, runs, emit } = this.#parts;
    const { stopped, followed } = await schedules.count(talliesOf(ended), max_failures);
    for (const run of ended) {
      const schedule = known.get(run.schedule_id);
      if (schedule && isReported(run, schedule)) await emit('schedules.reported', reportOf(run, schedule));
    }
    for (const { id, name, created_by } of stopped) {
      const last = ended.findLast(({ schedule_id }) => schedule_id === id);
      // Told to all administrators, of whom only one may read what a conversation says.
      const result = last && last.session_id === null ? last.result : '';
      await emit('schedules.stopped', { schedule_id: id, name, created_by, reason: 'five_failures', result });
    }
    const gone = stopped.map(({ id }) => id);
    await runs.cancelWaiting(gone, { now, code: 'disabled', result: 'The schedule was disabled before its turn came' });
    // Whatever its policy is now: it may have been another one when they were queued.
    await runs.release(followed, now);
  }

  /** Starts runs that wait for a turn that nobody gives any more: two that ended at once may each have left it to the other. */
  async heal(db: Database, now: number): Promise<void> {
    const { runs } = this.#parts;
    const waiting = await runs.withWaiting(max_healed);
    if (waiting.length > 0) await db.transaction(() => runs.release(waiting, now));
  }
}

function isReported({ status }: Run, { notify }: Reported): boolean {
  if (notify === 'always') return status !== 'cancelled';
  return notify === 'failure' && (status === 'failed' || status === 'timeout');
}

function reportOf(
  { id: run_id, schedule_id, status, error_code, result }: Run,
  { name, created_by }: Reported,
): SchedulesEvents['schedules.reported'] {
  return { schedule_id, name, run_id, status, error_code, result, created_by };
}

/** What runs that have ended mean for their schedules, in their order. One that was interrupted is not the schedule's fault. */
function talliesOf(runs: readonly Run[]): Tally[] {
  const tallies = new Map<number, Tally>();
  for (const { schedule_id: id, status, error_code } of runs) {
    const tally = tallies.get(id) ?? { id, successes: 0, failed: 0, last_status: status };
    if (status === 'success') Object.assign(tally, { successes: tally.successes + 1, failed: 0 });
    if ((status === 'failed' && error_code !== 'interrupted') || status === 'timeout') tally.failed += 1;
    tallies.set(id, { ...tally, last_status: status });
  }
  return [...tallies.values()];
}
