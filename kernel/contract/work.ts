import type { SqlValue } from './data.js';

/** The `id` of a job's row. PostgreSQL gives a BIGINT as text. */
export type JobId = number | string;

/** A row of a queue's table, as a claim returns it. */
export interface JobRow {
  id: JobId;
}

/** Adds a value to a statement and returns its placeholder: `$3`. */
export type Bind = (value: SqlValue) => string;

/**
 * The extension's own table whose rows are jobs. Rows have a primary key `id`, a nullable text column of 64 characters for
 * the worker that has claimed the job, and a BIGINT for the end of its lease: milliseconds since the epoch by the database's clock,
 * because the clocks of instances may differ. All texts are SQL; names of columns in `ready`, `due` and `order` start with `j.`.
 */
export interface JobTable {
  /** `<extension>_<name>`. */
  name: string;
  /** Column of the worker that has claimed a job. Default `owner`. */
  owner?: string;
  /** Column of the end of the lease; in a `retry` queue also of the time at which the job is due. Default `lease_until`. */
  lease?: string;
  /** Condition for jobs that wait to be claimed. */
  ready: (bind: Bind) => string;
  /** Condition for jobs that are due, for a `retry` queue whose lease column may be NULL. Default: the lease column is not later than `now`. */
  due?: (now: string) => string;
  /** Condition for jobs that a worker may continue; columns without `j.`. */
  active: string;
  /** Order in which jobs are claimed. */
  order: string;
  /** Whether PostgreSQL must read the order from an index instead of sorting. Its statistics are wrong when thousands are due at once. Default false. */
  order_by_index?: boolean;
  /** Further assignments of a claim: `status = 'running'`. */
  start?: (bind: Bind) => string;
  /** Columns that a claim returns, without `j.`. Default `*`; then the statement isn't prepared, because an upgrade may change the columns. */
  returning?: string;
}

/** Narrows one claim. */
export interface ClaimFilter {
  /** Condition instead of the table's `ready`. */
  ready?: (bind: Bind) => string;
  /** Condition in addition to `ready`. */
  where?: (bind: Bind) => string;
  /** Assignments in addition to the table's `start`. */
  set?: (bind: Bind) => string;
}

/** Keeps one member, or one channel, from occupying all places of a process. */
export interface Fairness<Job> {
  /** Columns whose values make a group of jobs, such as a member's id. */
  columns: readonly string[];
  /** Returns the values of these columns for a job. */
  of: (job: Job) => readonly SqlValue[];
  /** Limit of jobs that run at once in a group. Default: as many as stay free, so that a single group gets half of the places. */
  max_each?: number;
}

/** Ends jobs whose worker is dead, for a queue whose lapsed leases mean `fail`. */
export interface Lapse<Row extends JobRow> {
  /**
   * Called with the rows whose leases have lapsed. `take` claims them for this worker, in the transaction that runs here, and
   * returns those that no other worker took. This worker must then end the returned ones.
   */
  fail: (seen: readonly Row[], take: () => Promise<Row[]>) => Promise<void>;
}

/** Context of a running job, which `perform` gets besides the job. */
export interface JobRun {
  /**
   * Aborts with the reason passed to {@link Worker.stop}; with `lost` when the lease was lost, because the job's row
   * was ended or claimed by another worker; with `expired` when the lease of a job that is retried could not be renewed, before
   * another worker may claim it; with `interrupted` when the extension stops other than by a replacement.
   */
  readonly signal: AbortSignal;
  /** Marks the job as idle, such as while it waits for a person: it keeps its lease but occupies no place. */
  idle(idle: boolean): void;
  /** Renews the lease now; false if it was lost. Rejects while the database is unreachable. */
  renew(): Promise<boolean>;
}

/** A job whose code has ended. */
export interface Finished<Job, Outcome> {
  job: Job;
  outcome: Outcome;
}

/** An extension's description of its jobs. */
export interface Work<Row extends JobRow, Job extends { id: JobId }, Outcome> {
  /** Name of the worker in logs, unique in the extension. */
  name: string;
  table: JobTable;
  /**
   * Meaning of a lapsed lease. `retry`: the job is due again, so it runs at least once. A {@link Lapse} fails the job, so it runs at
   * most once. Leases are judged only after the database has answered for 8 s, because nobody can renew them while it is unreachable.
   */
  lapsed: 'retry' | Lapse<Row>;
  /** Limit of jobs that run at once in this process, without idle ones and those that {@link Worker.start} started. */
  max_running: number;
  /** Limit of jobs that one transaction claims. Default: `max_running`. */
  max_claimed?: number;
  /** Time after which a claim lapses without a heartbeat. Default 15,000. */
  lease_ms?: number;
  /** Interval at which leases are renewed. Default 5,000. */
  heartbeat_ms?: number;
  /** Interval at which the worker looks for jobs without a call of {@link Worker.wake}. Default 2,000. */
  poll_ms?: number;
  /** Whether it also polls and reaps in a process that runs a single command. Default false. */
  always?: boolean;
  fairness?: Fairness<Job>;
  /** Narrows the claims of the worker's own loop; undefined: nothing may be claimed now. Default: no filter. */
  filter?: () => ClaimFilter | undefined;
  /** Converts claimed rows to jobs, in the transaction of the claim, which asked for at most `limit`. */
  load: (rows: readonly Row[], limit: number) => Promise<Job[]> | Job[];
  /** Performs a job. If it rejects, the fault is logged and nothing is settled: the lease lapses, unless the job was released. */
  perform: (job: Job, run: JobRun) => Promise<Outcome>;
  /**
   * Stores outcomes, several in one transaction together with the next claim. If it fails, each outcome is retried alone until it succeeds.
   * An outcome that then fails, other than by a lost database, is dropped, and its lease lapses. Default: `perform` stores them itself.
   */
  settle?: (finished: readonly Finished<Job, Outcome>[]) => Promise<void>;
}

/**
 * Claims jobs of one table and performs them. It keeps claimed jobs until their end, also if another version of the extension replaces this
 * one: this worker goes on renewing their leases, and the new version neither claims nor stops them.
 */
export interface Worker<Job extends { id: JobId }, Outcome> {
  /** Name of this worker in the owner column. Begins with the instance's name. */
  readonly owner: string;
  /** Number of running jobs, including idle ones. */
  readonly running: number;
  /** Jobs that the command of this process created, the only ones it may claim; undefined in a server, which may claim all. */
  readonly own: readonly JobId[] | undefined;
  /** Adds a job to {@link own}. No effect in a server. */
  adopt(id: JobId): void;
  /** Claims and starts jobs that are ready; resolves when no more can be claimed. Never rejects. */
  wake(): Promise<void>;
  /** Claims and starts at once up to `limit` (default 1) jobs that match a filter. Returns the promises of their outcomes. */
  claim(filter: ClaimFilter, limit?: number): Promise<Promise<Outcome>[]>;
  /**
   * Claims one job in the current transaction, even before it is due; false if another worker holds it or it isn't ready. Call {@link start}
   * after the commit.
   */
  take(id: JobId): Promise<boolean>;
  /** Starts a job claimed by {@link take}, which doesn't count towards `max_running`. Resolves when its outcome is settled; rejects as `perform` does. */
  start(job: Job): Promise<Outcome>;
  /** Releases a claimed job without counting an attempt; it is due after `wait_ms` (default 0). For `retry` queues. */
  release(id: JobId, wait_ms?: number): Promise<void>;
  /** Aborts a job that runs here and waits for its end; false if it doesn't run here. Further calls don't change the reason. */
  stop(id: JobId, reason: unknown): Promise<boolean>;
  /** Handles lapsed leases now; returns whether there were any. Does nothing for `retry` queues. */
  reap(): Promise<boolean>;
  /**
   * On SQLite, which only one process can use: handles all jobs that earlier processes left claimed, even if their leases still hold, because
   * these processes are dead. Call it at activation.
   */
  recover(): Promise<void>;
}

/** How the wait between attempts grows. */
export interface BackOff {
  /** Wait after the first failed attempt. */
  first_ms: number;
  /** Longest wait. Default: no limit. */
  max_ms?: number;
  /** Share by which the wait varies, so that jobs that failed together aren't retried together. Default 0. */
  jitter?: number;
  /** Random number from 0 to 1. Default `Math.random()`. */
  random?: number;
}

/** Returns the wait in ms before a job that has failed `attempts` times (1 or more) is retried. It doubles with each attempt. */
export function backOff(
  attempts: number,
  { first_ms, max_ms = Number.POSITIVE_INFINITY, jitter = 0, random = Math.random() }: BackOff,
): number {
  return Math.min(max_ms, Math.round(first_ms * 2 ** (attempts - 1) * (1 - jitter + 2 * jitter * random)));
}
