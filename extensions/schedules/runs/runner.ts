import { AsyncResource } from 'node:async_hooks';
import { type Caller, type Clock, type Database, type Disposable, isFailure, type Log } from '../../../kernel/contract/index.js';
import type { Run } from '../contract.js';
import { endedRun } from '../store/run-row.js';
import { type Claimed, type Ended, type RunStore, start } from '../store/runs.js';
import type { RunSchedule } from '../store/schedules.js';
import type { Endings } from './endings.js';
import { type Attempt, Execution, type ExecutionParts, type StopReason } from './execution.js';

export interface RunnerParts {
  db: Database;
  clock: Clock;
  log: Log;
  /** Names this process. */
  instance: string;
  /** False in a process that runs one command: only what that command has asked for starts here. */
  background: boolean;
  runs: RunStore;
  execution: ExecutionParts;
  /** The member as a caller. Fails where it is gone. */
  caller: (member_id: number) => Promise<Caller>;
  endings: Endings;
  told: (runs: readonly Run[]) => void;
  /** Work that must be final before the process ends. */
  track: (work: Promise<unknown>) => void;
}

/** So many attempts at once in one process. */
const most = 50;
const heartbeat_ms = 5_000;
/** After a fault of the database. */
const pause_ms = 1_000;
const longest_retry_ms = 3_600_000;

/** An attempt that was claimed, with what is known of its schedule. */
interface Job {
  run: Run;
  schedule: RunSchedule;
  execution: Execution;
}

/** An attempt that has ended and isn't stored yet. */
interface Over {
  job: Job;
  attempt: Attempt;
}

/** One that is to begin. */
type NewJob = Omit<Job, 'execution'>;

/**
 * Claims the runs that may start and runs them, many claims and ends in one transaction. What it claimed is its own
 * until the end, also when another version of this extension has taken over meanwhile.
 */
export class Runner implements Disposable {
  readonly #parts: RunnerParts;
  readonly #running = new Map<number, Job>();
  readonly #adopted = new Set<number>();
  #ended: Over[] = [];
  /** Work starts here and not in the request that caused it, whose caller and transaction aren't ours. */
  readonly #outside = new AsyncResource('schedules.runner');
  /** What was claimed last stands here in the queue. PostgreSQL would read all that was taken before again for each claim. */
  #after = start;
  #turning = false;
  #wanted = false;
  #retired = false;
  #ending = false;
  /** After a fault: ends are stored one by one. */
  #careful = false;
  #heart: NodeJS.Timeout | undefined;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  get running(): number {
    return this.#running.size;
  }

  /** A run that was asked for in this process. */
  adopt(run_id: number): void {
    if (!this.#parts.background) this.#adopted.add(run_id);
  }

  /** Looks for what may start, and starts it. */
  wake(): void {
    if (!this.#parts.background && this.#adopted.size === 0 && this.#ended.length === 0) return;
    this.#wanted = true;
    if (this.#turning) return;
    this.#turning = true;
    // Not in this turn of the loop: ends that come together are stored together.
    const turns = new Promise<void>((resolve) => {
      setImmediate(() => this.#outside.runInAsyncScope(() => void this.#turns().then(resolve)));
    });
    this.#parts.track(turns);
  }

  /** Looks for what nobody told of: attempts after a pause, and what was queued before a restart. */
  async poll(): Promise<void> {
    if (!this.#retired && this.#parts.background && (await this.#parts.runs.anyReady(this.#parts.clock.now()))) this.wake();
  }

  /** Stops those of them that run here. */
  stop(ids: Iterable<number>, reason: StopReason): void {
    for (const id of ids) this.#running.get(id)?.execution.stop(reason);
  }

  /** Renews the leases of what runs here or isn't stored yet, and stops what somebody else has ended. */
  async renew(): Promise<void> {
    const ids = [...this.#running.keys()];
    const over = this.#ended.map(({ attempt }) => attempt.id);
    if (ids.length + over.length === 0) return;
    const held = new Set(await this.#parts.runs.hold(this.#parts.instance, [...ids, ...over]));
    this.stop(
      ids.filter((id) => !held.has(id)),
      'cancelled',
    );
  }

  /** Starts nothing any more. */
  retire(): void {
    this.#retired = true;
  }

  /** Ends all that runs here. */
  stopAll(): void {
    this.#ending = true;
    this.stop([...this.#running.keys()], 'interrupted');
  }

  dispose(): void {
    this.retire();
    clearInterval(this.#heart);
    this.#outside.emitDestroy();
  }

  async #turns(): Promise<void> {
    while (this.#wanted) {
      this.#wanted = false;
      try {
        if (await this.#turn()) this.#wanted = true;
      } catch (fault) {
        this.#parts.log.warn('Runs of schedules could not be stored; tried again', { err: fault });
        setTimeout(() => this.wake(), pause_ms).unref();
        break;
      }
    }
    this.#turning = false;
    if (this.#wanted) this.wake();
  }

  /** Stores what has ended and claims as many as there is room for; true where there may be more. */
  async #turn(): Promise<boolean> {
    const { db, clock, told } = this.#parts;
    const ended = this.#ended.splice(0, this.#careful ? 1 : this.#ended.length);
    const limit = this.#retired ? 0 : most - this.#running.size;
    const now = clock.now();
    try {
      const { finished, claimed, callers } = await db.transaction(async () => {
        const finished = await this.#finish(ended, now);
        const claimed = limit > 0 ? await this.#claim(now, limit) : [];
        return { finished, claimed, callers: this.#callersOf(claimed) };
      });
      this.#careful = false;
      // At once: whoever cancels a run from here on must find it.
      this.#startAll(claimed, callers);
      told([...finished, ...claimed.map(({ run }) => run)]);
      return (claimed.length === limit && limit > 0 && this.#running.size < most) || this.#ended.length > 0;
    } catch (fault) {
      this.#keep(ended, fault);
      throw fault;
    }
  }

  /** Tries again what could not be stored, one by one. Where that one is to blame its row ends as interrupted, once its lease has lapsed. */
  #keep(ended: readonly Over[], fault: unknown): void {
    const isHopeless = ended.length === 1 && this.#careful && !isFailure(fault);
    if (isHopeless) this.#parts.log.error('The end of a run could not be stored', { run_id: ended[0]?.attempt.id, err: fault });
    else this.#ended.unshift(...ended);
    this.#careful = true;
  }

  /** On from where the last claim ended, and from the start where nothing is left there. */
  async #claim(now: number, limit: number): Promise<Claimed[]> {
    const { runs, instance, background } = this.#parts;
    if (!background) return (await runs.claim(instance, { now, limit, after: start, among: [...this.#adopted] })).claimed;
    const { claimed, last } = await runs.claim(instance, { now, limit, after: this.#after });
    this.#after = claimed.length < limit ? start : last;
    if (claimed.length > 0 || last === start) return claimed;
    return (await runs.claim(instance, { now, limit, after: start })).claimed;
  }

  async #finish(ended: readonly Over[], now: number): Promise<Run[]> {
    if (ended.length === 0) return [];
    const { runs, endings, instance } = this.#parts;
    const ends = ended.map(({ job, attempt }) => endOf(job, attempt, now));
    const stored = await runs.finish(instance, ends);
    const finished = ended.flatMap(({ job }, at) => {
      const end = ends[at] as Ended;
      return stored.has(end.id) ? [endedRun(job.run, end)] : [];
    });
    const known = new Map(ended.map(({ job }) => [job.schedule.id, job.schedule]));
    await endings.record(
      finished.filter(({ status }) => status !== 'queued'),
      known,
      now,
    );
    return finished;
  }

  /** As whom they run is asked once for each member: beside the transaction, while that is committed. */
  #callersOf(claimed: readonly Claimed[]): ReadonlyMap<number, Promise<Caller>> {
    const members = new Set(claimed.flatMap(({ schedule }) => (schedule ? [schedule.created_by] : [])));
    return this.#outside.runInAsyncScope(() => new Map([...members].map((id) => [id, this.#callerOf(id)])));
  }

  #callerOf(member_id: number): Promise<Caller> {
    const caller = this.#parts.caller(member_id);
    // Where nothing was committed nobody waits for it.
    caller.catch(() => undefined);
    return caller;
  }

  #startAll(claimed: readonly Claimed[], callers: ReadonlyMap<number, Promise<Caller>>): void {
    for (const { run, schedule } of claimed) {
      const caller = schedule && callers.get(schedule.created_by);
      if (caller) this.#start({ run, schedule }, caller);
    }
  }

  #start({ run, schedule }: NewJob, caller: Promise<Caller>): void {
    const { action, params, timeout_s } = schedule;
    const execution = new Execution({ run_id: run.id, action, params, timeout_s, caller }, this.#parts.execution);
    const job = { run, schedule, execution };
    this.#running.set(run.id, job);
    this.#adopted.delete(run.id);
    this.#heart ??= setInterval(() => void this.#beat(), heartbeat_ms).unref();
    this.#parts.track(execution.ended.then((attempt) => this.#over(job, attempt)));
    if (this.#ending) execution.stop('interrupted');
  }

  #over(job: Job, attempt: Attempt | undefined): void {
    this.#running.delete(job.run.id);
    if (this.#running.size === 0) {
      clearInterval(this.#heart);
      this.#heart = undefined;
    }
    if (attempt) this.#ended.push({ job, attempt });
    this.wake();
  }

  /** Not by `ctx.every`, which ends with this version, while its claimed runs may go on. */
  async #beat(): Promise<void> {
    try {
      await this.renew();
    } catch (fault) {
      this.#parts.log.warn('The leases of running schedules could not be renewed', { err: fault });
    }
  }
}

/** The end of an attempt: another follows after a pause where it failed and one is left. */
function endOf({ run, schedule }: Job, attempt: Attempt, now: number): Ended {
  const again = (attempt.status === 'failed' || attempt.status === 'timeout') && attempt.error_code !== 'interrupted';
  const end = { ...attempt, schedule_id: schedule.id };
  if (!again || run.attempt > schedule.retries) return { ...end, ready_at: null };
  const pause = Math.min(longest_retry_ms, schedule.retry_delay_s * 1_000 * 2 ** (run.attempt - 1));
  return { ...end, status: 'queued', finished_at: null, ready_at: now + pause };
}
