import type { Database } from '../../../kernel/contract/index.js';
import type { Run, SchedulesEvents } from '../contract.js';
import type { RunSchedule, RunStore } from '../store/runs-sql.js';
import type { ScheduleStore, Tally } from '../store/schedules-sql.js';

/** Number of failed runs in a row after which a schedule is disabled. */
const max_failures = 5;
/** Number of schedules repaired at once. */
const max_repaired = 200;

/** The parts of a schedule that subscribers to its runs need. */
type ReportedSchedule = Pick<RunSchedule, 'name' | 'notify' | 'created_by'>;

interface RunOutcomesParts {
  schedules: ScheduleStore;
  runs: RunStore;
  emit: <Topic extends keyof SchedulesEvents>(topic: Topic, payload: SchedulesEvents[Topic]) => Promise<void>;
}

/** Records the consequences of ended runs for their schedules, in the transaction in which they end. */
export class RunOutcomes {
  readonly #parts: RunOutcomesParts;

  constructor(parts: RunOutcomesParts) {
    this.#parts = parts;
  }

  /** Counts failures, publishes the ends, and starts the next queued runs. */
  async record(ended: readonly Run[], known: ReadonlyMap<number, ReportedSchedule>, now: number): Promise<void> {
    const { schedules, runs, emit } = this.#parts;
    const { stopped, followed } = await schedules.count(talliesOf(ended), max_failures);
    for (const run of ended) {
      const schedule = known.get(run.schedule_id);
      if (schedule && isReported(run, schedule)) await emit('schedules.reported', reportOf(run, schedule));
    }
    for (const { id, name, created_by } of stopped) {
      const last = ended.findLast(({ schedule_id }) => schedule_id === id);
      // Published to all administrators, of whom only one may read a conversation's output.
      const result = last && last.session_id === null ? last.result : '';
      await emit('schedules.stopped', { schedule_id: id, name, created_by, reason: 'five_failures', result });
    }
    const roomless = ended.filter(({ error_code }) => error_code === 'room_gone').map(({ schedule_id }) => schedule_id);
    await schedules.disableWithoutRoom(roomless);
    const ids = [...stopped.map(({ id }) => id), ...roomless];
    await runs.cancelWaiting(ids, { now, code: 'disabled', result: 'The schedule was disabled before the run started' });
    // Whatever its current policy is: it may have been different when they were queued.
    await runs.release(followed, now);
  }

  /** Starts queued runs that nothing else will start: two runs that end at once may each leave it to the other. */
  async repair(db: Database, now: number): Promise<void> {
    const { runs } = this.#parts;
    const waiting = await runs.withWaiting(max_repaired);
    if (waiting.length > 0) await db.transaction(() => runs.release(waiting, now));
  }
}

function isReported({ status }: Run, { notify }: ReportedSchedule): boolean {
  if (notify === 'always') return status !== 'cancelled';
  return notify === 'failure' && (status === 'failed' || status === 'timeout');
}

function reportOf(
  { id: run_id, schedule_id, status, error_code, result }: Run,
  { name, created_by }: ReportedSchedule,
): SchedulesEvents['schedules.reported'] {
  return { schedule_id, name, run_id, status, error_code, result, created_by };
}

/** Returns the consequences of ended runs for their schedules, in order. An interrupted run is not counted as a failure. */
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
