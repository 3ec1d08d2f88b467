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
 * who has claimed the job, and a BIGINT for the end of its lease: milliseconds since the epoch by the database's clock, so
 * that instances' clocks needn't agree. All texts are SQL; names of columns in `ready`, `due` and `order` start with `j.`.
 */
export interface JobTable {
  /** `<extension>_<name>`. */
  name: string;
  /** Column of who has claimed a job. Default `owner`. */
  owner?: string;
  /** Column of the end of the lease; for jobs that are retried also of the time from which on one is due. Default `lease_until`. */
  lease?: string;
  /** Condition for jobs that wait to be claimed. */
  ready: (bind: Bind) => string;
  /** Condition for jobs that are due, for a `retry` queue whose lease column may be NULL. Default: the lease column is not later than `now`. */
  due?: (now: string) => string;
  /** Condition for jobs that a worker may go on with; columns without `j.`. */
  active: string;
  /** In which order they are claimed. */
  order: string;
  /** PostgreSQL reads that order from an index and never sorts: when thousands come due at once its statistics are wrong. Default false. */
  order_by_index?: boolean;
  /** Further assignments of a claim: `status = 'running'`. */
  start?: (bind: Bind) => string;
  /** Columns that a claim returns, without `j.`. Default `*`, which is not prepared: an upgrade may change what that is. */
  returning?: string;
}

/** Narrows one claim. */
export interface ClaimFilter {
  /** In place of the table's `ready`. */
  ready?: (bind: Bind) => string;
  /** Besides `ready`. */
  where?: (bind: Bind) => string;
  /** Besides the table's `start`. */
  set?: (bind: Bind) => string;
}

/** Keeps one member, or channel, from taking all places of a process. */
export interface Fairness<Job> {
  /** Columns by which jobs are told apart. */
  columns: readonly string[];
  /** Values of these columns for a job. */
  of: (job: Job) => readonly SqlValue[];
  /** Jobs that run at once for equal values. Default: as many as it leaves free, so that one alone has half of the places. */
  max_each?: number;
}

/** Ends jobs whose worker is dead, for a queue whose lapsed leases mean `fail`. */
export interface Lapse<Row extends JobRow> {
  /**
   * Called with the rows whose leases have lapsed. `take` claims them for this worker, in the transaction that runs here, and
   * returns those that nobody else took; whoever takes them ends them.
   */
  fail: (seen: readonly Row[], take: () => Promise<Row[]>) => Promise<void>;
}

/** The tools of a job's code, beside the job itself. */
export interface JobRun {
  /**
   * Aborts with the reason that was given to {@link Worker.stop}; with `lost` when the lease was lost, because the job's row
   * was ended or claimed by another worker; with `expired` when the lease of a job that is retried could not be renewed, before
   * another worker may claim it; with `interrupted` when the extension stops other than by a replacement.
   */
  readonly signal: AbortSignal;
  /** A job that waits for a person is idle: it keeps its lease but takes no place. */
  idle(idle: boolean): void;
  /** Renews the lease now; false if it was lost. Rejects while the database is away. */
  renew(): Promise<boolean>;
}

/** A job whose code has ended. */
export interface Finished<Job, Outcome> {
  job: Job;
  outcome: Outcome;
}

/** An extension's description of its jobs. */
export interface Work<Row extends JobRow, Job extends { id: JobId }, Outcome> {
  /** Names the worker in logs, unique in the extension. */
  name: string;
  table: JobTable;
  /**
   * The meaning of a lapsed lease. `retry`: the job is due again, and at least once is promised. Or how it is failed: at most once.
   * Leases are judged only after the database has answered for 8 s: while it is away nobody can renew one.
   */
  lapsed: 'retry' | Lapse<Row>;
  /** Jobs that run at once in this process, without idle ones and those that were started by {@link Worker.start}. */
  max_running: number;
  /** Jobs that are claimed by one transaction. Default: `max_running`. */
  max_claimed?: number;
  /** How long a claim holds without a heartbeat. Default 15,000. */
  lease_ms?: number;
  /** How often leases are renewed. Default 5,000. */
  heartbeat_ms?: number;
  /** How often to look for jobs that no call of {@link Worker.wake} announced. Default 2,000. */
  poll_ms?: number;
  /** Also polls and reaps in a process that runs one command. Default false. */
  always?: boolean;
  fairness?: Fairness<Job>;
  /** Narrows the claims of the worker's own loop; undefined: nothing may be claimed now. Default: no filter. */
  filter?: () => ClaimFilter | undefined;
  /** Makes jobs of claimed rows, in the transaction of the claim, which asked for up to `limit`. */
  load: (rows: readonly Row[], limit: number) => Promise<Job[]> | Job[];
  /** Does the job. If it rejects nothing is settled: the fault is logged, and unless the job was released its lease lapses. */
  perform: (job: Job, run: JobRun) => Promise<Outcome>;
  /**
   * Stores outcomes, several in one transaction with the next claim. If it fails it is repeated, one outcome at a time, until it
   * succeeds; an outcome that fails alone for another reason than a lost database is dropped, and its lease lapses. Default: `perform` stores them itself.
   */
  settle?: (finished: readonly Finished<Job, Outcome>[]) => Promise<void>;
}

/**
 * Claims jobs of one table and performs them. It keeps what it has claimed until the end, also when another version of the
 * extension has replaced this one meanwhile: that one neither claims nor stops it, and leases are renewed from here.
 */
export interface Worker<Job extends { id: JobId }, Outcome> {
  /** Names this worker in the owner column. Begins with the instance's name. */
  readonly owner: string;
  /** Jobs that run now, idle ones included. */
  readonly running: number;
  /** In a process that runs one command: jobs that the command made and that alone may be claimed; undefined: all. */
  readonly own: readonly JobId[] | undefined;
  /** Marks a job as made by the command of this process. No effect in a server. */
  adopt(id: JobId): void;
  /** Claims what is ready and starts it; resolves when nothing more can be claimed. Never rejects. */
  wake(): Promise<void>;
  /** Claims up to `limit` (default 1) jobs that match a filter, at once, and starts them. Returns the promises of their outcomes. */
  claim(filter: ClaimFilter, limit?: number): Promise<Promise<Outcome>[]>;
  /** Claims one job in the transaction that runs here, also if it isn't due yet; false if another worker holds it or it isn't ready. Start it after the commit. */
  take(id: JobId): Promise<boolean>;
  /** Starts a job that was taken; it doesn't count towards `max_running`. Resolves when its outcome is settled; rejects as `perform` does. */
  start(job: Job): Promise<Outcome>;
  /** Gives a job back without an attempt, due after `wait_ms` (default 0). For `retry` queues. */
  release(id: JobId, wait_ms?: number): Promise<void>;
  /** Aborts a job that runs here and waits for its end; false if it doesn't run here. The first reason counts. */
  stop(id: JobId, reason: unknown): Promise<boolean>;
  /** Handles lapsed leases now; whether there were any. Does nothing for `retry` queues. */
  reap(): Promise<boolean>;
  /**
   * Handles what other processes left claimed, whatever their leases say, where only one process can have the database
   * (SQLite): they are dead. Call it at activation.
   */
  recover(): Promise<void>;
}

/** How a wait grows. */
export interface BackOff {
  /** Wait after the first failed attempt. */
  first_ms: number;
  /** Default: no limit. */
  max_ms?: number;
  /** Share by which the wait is longer or shorter, so that what failed together isn't retried together. Default 0. */
  jitter?: number;
  /** 0 to 1. Default `Math.random()`. */
  random?: number;
}

/** Returns in how many ms a job that has failed `attempts` times (1 or more) is retried: twice as long after each. */
export function backOff(
  attempts: number,
  { first_ms, max_ms = Number.POSITIVE_INFINITY, jitter = 0, random = Math.random() }: BackOff,
): number {
  return Math.min(max_ms, Math.round(first_ms * 2 ** (attempts - 1) * (1 - jitter + 2 * jitter * random)));
}
