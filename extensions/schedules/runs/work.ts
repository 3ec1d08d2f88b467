import {
  backOff,
  type Caller,
  type Clock,
  type Database,
  type Finished,
  type JobTable,
  type Work,
  type Worker,
} from '../../../kernel/contract/index.js';
import type { Run } from '../contract.js';
import { endedRun } from '../store/run-row.js';
import {
  type AttemptEnd,
  type ClaimedRow,
  isAfter,
  jobTable,
  laterOf,
  type RunSchedule,
  type RunStore,
  start,
  toClaimed,
} from '../store/runs-sql.js';
import { type Attempt, type AttemptParts, attempt } from './attempt.js';
import type { RunOutcomes } from './run-outcomes.js';

export interface RunParts {
  db: Database;
  clock: Clock;
  /** False in a process that runs a single command. */
  background: boolean;
  runs: RunStore;
  outcomes: RunOutcomes;
  attempt: AttemptParts;
  /** Whether runs wait until the due schedules have been planned. */
  isPlanning: () => boolean;
  /** Returns the member as a caller. Rejects if it no longer exists. */
  caller: (member_id: number) => Promise<Caller>;
  onRunsChanged: (runs: readonly Run[]) => void;
}

/** A claimed attempt of a run. */
export interface Job {
  id: number;
  run: Run;
  schedule: RunSchedule;
  /** Callers by member, resolved once per claim. */
  callers: Map<number, Promise<Caller>>;
}

/** Undefined if the run's row has already ended. */
type Outcome = Attempt | undefined;

const max_retry_ms = 3_600_000;

/** Performs due runs at most once: a run whose process died ends as `interrupted`. */
export class RunWork implements Work<ClaimedRow, Job, Outcome> {
  readonly name = 'runs';
  readonly max_running = 50;
  /** Planned runs are announced; this finds retries whose pause is over, and runs that another instance planned. */
  readonly poll_ms = 1_000;
  readonly table: JobTable;
  readonly lapsed = { fail: (_seen: readonly ClaimedRow[], take: () => Promise<ClaimedRow[]>) => this.#interrupt(take) };
  readonly #parts: RunParts;
  #worker: Worker<Job, Outcome> | undefined;
  /** Position of the last claim in the queue. PostgreSQL would otherwise read all previously claimed rows for each claim. */
  #last_position = start;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.table = jobTable(parts.db, parts.clock);
  }

  /** Opens the worker for this queue. */
  open(open: (work: this) => Worker<Job, Outcome>): Worker<Job, Outcome> {
    this.#worker = open(this);
    return this.#worker;
  }

  filter() {
    const { ready_at, id } = this.#last_position;
    if (this.#parts.isPlanning()) return undefined;
    return this.#parts.background ? { where: isAfter(ready_at, id) } : {};
  }

  load(rows: readonly ClaimedRow[], limit: number): Job[] {
    const { db, onRunsChanged } = this.#parts;
    this.#advance(rows, limit);
    const claimed = rows.map(toClaimed);
    const callers = new Map<number, Promise<Caller>>();
    db.afterCommit(() => onRunsChanged(claimed.map(({ run }) => run)));
    return claimed.flatMap(({ run, schedule }) => (schedule ? [{ id: run.id, run, schedule, callers }] : []));
  }

  perform(
    { id, schedule: { action, params, timeout_s, created_by, room_id }, callers }: Job,
    { signal }: { signal: AbortSignal },
  ): Promise<Outcome> {
    const caller = callers.get(created_by) ?? this.#parts.caller(created_by);
    callers.set(created_by, caller);
    const own = room_id === null ? caller : inRoom(caller, room_id);
    return attempt({ run_id: id, action, params, timeout_s, caller: own }, this.#parts.attempt, signal);
  }

  async settle(finished: readonly Finished<Job, Outcome>[]): Promise<void> {
    const now = this.#parts.clock.now();
    const outcomes = finished.flatMap(({ job, outcome }) => (outcome ? [{ ...job, end: endOf(job, outcome, now) }] : []));
    await this.#finish(outcomes, now);
  }

  async #interrupt(take: () => Promise<ClaimedRow[]>): Promise<void> {
    const { db, clock } = this.#parts;
    await db.transaction(async () => {
      const now = clock.now();
      const ends = (await take()).map(toClaimed).map(({ run, schedule }) => ({ run, schedule, end: interrupted(run, now) }));
      await this.#finish(ends, now);
    });
  }

  async #finish(ends: readonly { run: Run; schedule: RunSchedule | undefined; end: AttemptEnd }[], now: number): Promise<void> {
    const { db, runs, outcomes, onRunsChanged } = this.#parts;
    if (ends.length === 0) return;
    const stored = await runs.finish(
      this.#worker?.owner ?? '',
      ends.map(({ end }) => end),
    );
    const finished = ends.flatMap(({ run, end }) => (stored.has(end.id) ? [endedRun(run, end)] : []));
    const known = new Map(ends.flatMap(({ schedule }) => (schedule ? [[schedule.id, schedule]] : [])));
    const final = finished.filter(({ status }) => status !== 'queued');
    await outcomes.record(final, known, now);
    db.afterCommit(() => onRunsChanged(finished));
  }

  /** Continues from the last claim, and from the start if nothing follows. */
  #advance(rows: readonly ClaimedRow[], limit: number): void {
    const before = this.#last_position;
    this.#last_position = rows.length < limit ? start : rows.reduce(laterOf, before);
    if (rows.length === 0 && before !== start) void this.#worker?.wake();
  }
}

/** Limits a caller to the rights of everyone in a room; nobody is there to approve more. */
async function inRoom(caller: Promise<Caller>, session_id: string): Promise<Caller> {
  return { ...(await caller), room: { session_id, approved: false } };
}

/** Returns the end of an attempt: a failed one is retried after a pause while retries are left. */
function endOf({ run, schedule }: Job, outcome: Attempt, now: number): AttemptEnd {
  const again =
    (outcome.status === 'failed' || outcome.status === 'timeout') &&
    outcome.error_code !== 'interrupted' &&
    outcome.error_code !== 'room_gone';
  const end = { ...outcome, schedule_id: schedule.id };
  if (!again || run.attempt > schedule.retries) return { ...end, ready_at: null };
  const wait_ms = backOff(run.attempt, { first_ms: schedule.retry_delay_s * 1_000, max_ms: max_retry_ms });
  return { ...end, status: 'queued', finished_at: null, ready_at: now + wait_ms };
}

function interrupted({ id, schedule_id, duration_ms, session_id, task_id }: Run, now: number): AttemptEnd {
  const result = 'The process that ran it ended before the run did';
  const end = { status: 'failed', error_code: 'interrupted', result, finished_at: now, ready_at: null } as const;
  return { id, schedule_id, duration_ms, session_id, task_id, ...end };
}
