import { AsyncResource } from 'node:async_hooks';
import type { Disposable, StopReason } from '../../contract/extension.js';
import { isFailure } from '../../contract/failure.js';
import { LeaseJudge } from '../../contract/lease-judge.js';
import type { ClaimFilter, Finished, JobId, JobRow, JobRun, Work, Worker } from '../../contract/work.js';
import type { WorkerHost, Workers as WorkersPort } from '../../core/ports.js';
import { fairShare } from './fair-share.js';
import { type Dead, JobSql } from './job-sql.js';

/** Dependencies of a worker. */
export interface WorkerParts extends WorkerHost {
  /** Workers of all running versions of the extension in this process. */
  peers: Set<Interruptible>;
  /** Monotonic time in ms, which no clock change affects. Default `performance.now`. */
  elapsed?: () => number;
}

/** A worker whose jobs can be aborted together. */
export interface Interruptible {
  interrupt(): void;
}

interface Running<Job> {
  job: Job;
  abort: AbortController;
  ended: Promise<unknown>;
  /** Whether it counts against `max_running`. */
  counted: boolean;
  idle: boolean;
  /** Start of the last successful renewal of its lease. */
  renewed_at: number;
}

interface Unsettled<Job, Outcome> extends Finished<Job, Outcome> {
  /** Called when the outcome was stored or dropped. */
  settled: () => void;
}

interface Request {
  limit: number;
  filter: ClaimFilter;
  full: (readonly (string | number | boolean | null | Uint8Array)[])[];
}

/** Wait before a failed run is retried. */
const retry_ms = 1_000;
/** Counter for the owners of workers: versions of an extension may run side by side. */
let workers = 0;

/**
 * Runs the jobs of one table. Own code, because existing queues need PostgreSQL (pg-boss, graphile-worker) or Redis (BullMQ) and their own
 * tables, while these jobs are rows of existing tables, on both databases.
 */
export class LeasedWorker<Row extends JobRow, Job extends { id: JobId }, Outcome>
  implements Worker<Job, Outcome>, Disposable, Interruptible
{
  readonly owner: string;
  readonly #work: Work<Row, Job, Outcome>;
  readonly #host: WorkerParts;
  readonly #sql: JobSql<Row>;
  readonly #judge: LeaseJudge;
  readonly #elapsed: () => number;
  readonly #lease_ms: number;
  readonly #heartbeat_ms: number;
  readonly #running = new Map<string, Running<Job>>();
  readonly #own = new Map<string, JobId>();
  #unsettled: Unsettled<Job, Outcome>[] = [];
  /** Async context of jobs, so that they don't inherit the caller and the transaction of the request that caused them. */
  readonly #context: AsyncResource;
  #runs: Promise<void> | undefined;
  #wanted = false;
  #retired = false;
  #interrupted = false;
  /** Whether to store outcomes one by one after a fault. */
  #oneByOne = false;
  #renewal_timer: NodeJS.Timeout | undefined;

  constructor(work: Work<Row, Job, Outcome>, host: WorkerParts) {
    const { table, lapsed, lease_ms = 15_000, heartbeat_ms = 5_000 } = work;
    workers += 1;
    this.owner = `${host.instance}:${workers}`;
    this.#work = work;
    this.#host = host;
    this.#lease_ms = lease_ms;
    this.#heartbeat_ms = heartbeat_ms;
    this.#elapsed = host.elapsed ?? (() => performance.now());
    this.#judge = new LeaseJudge(this.#elapsed);
    this.#sql = new JobSql(host.db, { table, lease_ms, owner: this.owner, instance: host.instance, retries: lapsed === 'retry' });
    this.#context = new AsyncResource(`work.${work.name}`);
    host.peers.add(this);
    host.signal.addEventListener('abort', () => this.#stopping(host.signal.reason as StopReason), { once: true });
  }

  get running(): number {
    return this.#running.size;
  }

  get own(): readonly JobId[] | undefined {
    return this.#host.background ? undefined : [...this.#own.values()];
  }

  adopt(id: JobId): void {
    if (!this.#host.background) this.#own.set(String(id), id);
  }

  wake(): Promise<void> {
    if (this.own?.length === 0 && this.#unsettled.length === 0) return Promise.resolve();
    this.#wanted = true;
    if (this.#runs) return this.#runs;
    // Deferred, so that outcomes that arrive together are stored together.
    this.#runs = new Promise((resolve) => {
      setImmediate(() => this.#context.runInAsyncScope(() => void this.#runWhileWanted().then(resolve)));
    });
    this.#host.track(this.#runs);
    return this.#runs;
  }

  /** Finds jobs without an announcement: those due after a wait, and those from before a restart. */
  async poll(): Promise<void> {
    if (!this.#retired && (await this.#sql.anyReady())) await this.wake();
  }

  async claim(filter: ClaimFilter, limit = 1): Promise<Promise<Outcome>[]> {
    const request = this.#request(filter, limit);
    if (!request) return [];
    const { jobs } = await this.#host.db.transaction(() => this.#claim(request));
    return jobs.map((job) => this.#start(job, true));
  }

  async take(id: JobId): Promise<boolean> {
    if (this.#running.has(String(id))) return false;
    return (await this.#sql.claim({ limit: 1, ids: [id], early: true })).length > 0;
  }

  start(job: Job): Promise<Outcome> {
    return this.#context.runInAsyncScope(() => this.#start(job, false));
  }

  release(id: JobId, wait_ms = 0): Promise<void> {
    return this.#sql.release(id, wait_ms);
  }

  async stop(id: JobId, reason: unknown): Promise<boolean> {
    const running = this.#running.get(String(id));
    running?.abort.abort(reason);
    await running?.ended;
    return running !== undefined;
  }

  reap(): Promise<boolean> {
    return this.#reap('lapsed');
  }

  async recover(): Promise<void> {
    const { host, work } = { host: this.#host, work: this.#work };
    if (host.db.dialect !== 'sqlite' || !(host.background || work.always)) return;
    if (work.lapsed === 'retry') await this.#sql.releaseOthers();
    else await this.#reap('others');
  }

  /** Fails the jobs of dead workers and starts jobs that waited for them. */
  async watch(): Promise<void> {
    if (await this.reap()) await this.wake();
  }

  /** Renews all leases. Aborts jobs whose lease was lost, because another worker may have ended or claimed them. */
  async renew(): Promise<void> {
    const begun = this.#elapsed();
    const ids = [...this.#running.values(), ...this.#unsettled].map(({ job }) => job.id);
    if (ids.length === 0) return;
    const held = await this.#sql.renew(ids);
    for (const id of ids) {
      const running = this.#running.get(String(id));
      if (!running) continue;
      if (held.has(String(id))) running.renewed_at = begun;
      else running.abort.abort('lost');
    }
  }

  interrupt(): void {
    this.#interrupted = true;
    for (const { abort } of this.#running.values()) abort.abort('interrupted');
  }

  dispose(): void {
    this.#retired = true;
    clearInterval(this.#renewal_timer);
    this.#host.peers.delete(this);
    this.#context.emitDestroy();
  }

  /** Stops claiming. After a replacement, claimed jobs continue; otherwise they and those of earlier versions are interrupted. */
  #stopping(reason: StopReason): void {
    this.#retired = true;
    if (reason !== 'replaced') for (const peer of this.#host.peers) peer.interrupt();
  }

  async #runWhileWanted(): Promise<void> {
    try {
      while (this.#wanted) {
        this.#wanted = false;
        while (await this.#runOnce());
      }
    } catch (err) {
      this.#host.log.warn(`Could not claim or store jobs of '${this.#work.name}'; retrying`, { err });
      setTimeout(() => void this.wake(), retry_ms).unref();
    }
    this.#runs = undefined;
    if (this.#wanted) void this.wake();
  }

  /** Stores outcomes and claims jobs for the free places; returns whether more may be ready. */
  async #runOnce(): Promise<boolean> {
    const { db } = this.#host;
    const unsettled = this.#unsettled.splice(0, this.#oneByOne ? 1 : this.#unsettled.length);
    try {
      let request = this.#request(this.#work.filter ? this.#work.filter() : {});
      if (unsettled.length === 0 && !(request && (await this.#sql.anyReady()))) return false;
      const { jobs, isFull } = await db.transaction(async () => {
        if (unsettled.length > 0) await this.#work.settle?.(unsettled);
        // A concurrent claim may have taken places.
        request = this.#request(this.#work.filter ? this.#work.filter() : {});
        return request ? this.#claim(request) : { jobs: [], isFull: false };
      });
      this.#oneByOne = false;
      for (const { settled } of unsettled) settled();
      // Start without a pause, because `stop` must find the jobs from here on.
      for (const job of jobs) this.#start(job, true).catch(() => undefined);
      return isFull || this.#unsettled.length > 0;
    } catch (fault) {
      this.#requeue(unsettled, fault);
      throw fault;
    }
  }

  /** Queues outcomes that could not be stored for a retry one by one. An outcome that the database rejects alone is dropped: its lease expires. */
  #requeue(unsettled: readonly Unsettled<Job, Outcome>[], err: unknown): void {
    const isHopeless = unsettled.length === 1 && this.#oneByOne && !isFailure(err);
    if (isHopeless) {
      this.#host.log.error(`Could not store an outcome of '${this.#work.name}'`, { id: unsettled[0]?.job.id, err });
      unsettled[0]?.settled();
    } else this.#unsettled.unshift(...unsettled);
    this.#oneByOne = true;
  }

  /** Returns the next claim; undefined if nothing may be claimed. */
  #request(filter: ClaimFilter | undefined, limit = Number.POSITIVE_INFINITY): Request | undefined {
    const { max_running, max_claimed = max_running, fairness } = this.#work;
    if (this.#retired || !filter || this.own?.length === 0) return undefined;
    const busy = [...this.#running.values()].filter(({ counted, idle }) => counted && !idle);
    const { room, full } = fairness
      ? fairShare(
          busy.map(({ job }) => fairness.of(job)),
          { max_running, max_each: fairness.max_each },
        )
      : { room: max_running - busy.length, full: [] };
    const max = Math.min(room, max_claimed, limit);
    return max > 0 ? { limit: max, filter, full } : undefined;
  }

  async #claim({ limit, filter, full }: Request): Promise<{ jobs: Job[]; isFull: boolean }> {
    const { fairness, lapsed } = this.#work;
    // Needed for retries only: otherwise a job with an expired lease fails and is not claimed again.
    const without = lapsed === 'retry' ? [...this.#running.values()].map(({ job }) => job.id) : [];
    const columns = fairness?.columns ?? [];
    const rows = await this.#sql.claim({ limit, filter, ids: this.own, without, full: { columns, keys: full } });
    return { jobs: await this.#work.load(rows, limit), isFull: rows.length === limit };
  }

  #start(job: Job, counted: boolean): Promise<Outcome> {
    const id = String(job.id);
    const abort = new AbortController();
    const running: Running<Job> = { job, abort, counted, idle: false, renewed_at: this.#elapsed(), ended: Promise.resolve() };
    this.#own.delete(id);
    this.#running.set(id, running);
    this.#renewal_timer ??= setInterval(() => void this.#renewDue(), this.#heartbeat_ms).unref();
    if (this.#interrupted) abort.abort('interrupted');
    const outcome = this.#perform(running);
    running.ended = outcome.catch(() => undefined);
    this.#host.track(running.ended);
    return outcome;
  }

  async #perform(running: Running<Job>): Promise<Outcome> {
    const { job, abort } = running;
    const run: JobRun = {
      signal: abort.signal,
      idle: (idle) => {
        running.idle = idle;
        if (idle) void this.wake();
      },
      renew: async () => (await this.#sql.renew([job.id])).size > 0,
    };
    try {
      const outcome = await this.#work.perform(job, run);
      this.#ended(running);
      if (this.#work.settle) await this.#settled({ job, outcome });
      else if (!this.#retired) void this.wake();
      return outcome;
    } catch (err) {
      this.#ended(running);
      if (running.counted) this.#host.log.error(`A job of '${this.#work.name}' failed`, { id: job.id, err });
      if (!this.#retired) void this.wake();
      throw err;
    }
  }

  #settled(finished: Finished<Job, Outcome>): Promise<void> {
    return new Promise((settled) => {
      this.#unsettled.push({ ...finished, settled });
      void this.wake();
    });
  }

  #ended({ job }: Running<Job>): void {
    this.#running.delete(String(job.id));
  }

  /** Renews leases on an own timer: `ctx.every` stops with this version, while its claimed jobs may continue. */
  async #renewDue(): Promise<void> {
    if (this.#running.size + this.#unsettled.length === 0) {
      clearInterval(this.#renewal_timer);
      this.#renewal_timer = undefined;
      return;
    }
    // Abort before another worker may claim them. Jobs without retries are not aborted, because they can wait for the database.
    const late = this.#elapsed() - this.#lease_ms + 1.5 * this.#heartbeat_ms;
    if (this.#work.lapsed === 'retry')
      for (const { abort, renewed_at } of this.#running.values()) if (renewed_at <= late) abort.abort('expired');
    await this.renew().catch((err: unknown) => {
      this.#host.log.warn(`Could not renew the leases of '${this.#work.name}'`, { err });
    });
  }

  async #reap(dead: Dead): Promise<boolean> {
    const { lapsed } = this.#work;
    if (lapsed === 'retry') return false;
    const seen = await this.#sql.readExpired(dead);
    if (!(this.#judge.answered() || dead === 'others') || seen.length === 0) return false;
    // Renew first: jobs that run here are alive, even if a changed clock makes their leases look expired.
    await this.renew();
    await lapsed.fail(seen, () => this.#sql.claimExpired(dead));
    return true;
  }
}

/** Opens workers and tracks those of all running versions of an extension in this process. */
export class Workers implements WorkersPort {
  readonly #peers = new Map<string, Set<Interruptible>>();

  open<Row extends JobRow, Job extends { id: JobId }, Outcome>(
    extension: string,
    work: Work<Row, Job, Outcome>,
    host: WorkerHost,
  ): LeasedWorker<Row, Job, Outcome> {
    const peers = this.#peers.get(extension) ?? new Set<Interruptible>();
    this.#peers.set(extension, peers);
    return new LeasedWorker(work, { ...host, peers });
  }
}
