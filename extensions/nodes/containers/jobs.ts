import {
  type Context,
  fail as failCore,
  type JobRow,
  type JobRun,
  Limiter,
  type Log,
  type Worker,
} from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import { jobTable, type NodeCondition } from '../store/jobs-sql.js';

/** Node claimed by this process. */
export interface NodeClaim {
  /** Aborts with a failure if the node is deleted, claimed by another process, or the process stops. */
  signal: AbortSignal;
  /** Retries it after a while, on whichever instance claims it first. */
  retry: () => void;
  /** Checks in the database whether this process still holds the claim. */
  isHeld: () => Promise<boolean>;
}

interface Job {
  id: number;
  /** Attempt of a waiting caller; if omitted, the queue's own attempt. */
  attempt?: (held: NodeClaim) => Promise<unknown>;
}

export interface NodeJobsParts {
  name: string;
  condition: NodeCondition;
  work: Context['work'];
  log: Log;
  /** Runs an attempt without a waiting caller. */
  attempt: (id: number, held: NodeClaim) => Promise<unknown>;
  /** Default: 20 s, renewed every 5 s. */
  lease?: { lease_ms: number; heartbeat_ms: number } | undefined;
}

/** Limits of nodes worked on at once in this process, for waiting callers and in the background. */
const max_waiting_callers = 16;
const max_background = 6;
/** Delay before a retry if an engine didn't answer. */
const retry_ms = 5_000;

/** Job queue for one kind of work on nodes in engines. Each node has one worker at a time across all instances. */
export class NodeJobs {
  readonly #parts: NodeJobsParts;
  readonly #worker: Worker<Job, unknown>;
  readonly #urgent = new Limiter(max_waiting_callers);

  constructor(parts: NodeJobsParts) {
    const { name, work, condition, lease = { lease_ms: 20_000, heartbeat_ms: 5_000 } } = parts;
    this.#parts = parts;
    this.#worker = work<JobRow & Job, Job, unknown>({
      name,
      table: jobTable(condition),
      lapsed: 'retry',
      max_running: max_background,
      ...lease,
      load: (rows) => rows.map(({ id }) => ({ id })),
      perform: (job, run) => this.#perform(job, run),
    });
  }

  get running(): number {
    return this.#worker.running;
  }

  /** Frees claims of dead processes, if they are certainly dead. */
  recover(): Promise<void> {
    return this.#worker.recover();
  }

  /** Claims a node in the current transaction; false if another process holds it. */
  claim(id: number): Promise<boolean> {
    return this.#worker.take(id);
  }

  /** Releases a claimed node; it is retried after a while. */
  postpone(id: number): Promise<void> {
    return this.#worker.release(id, retry_ms);
  }

  /** Works on a claimed node. Rejects as the attempt does. */
  run<T>(id: number, attempt: (held: NodeClaim) => Promise<T>): Promise<T> {
    return this.#worker.start({ id, attempt }) as Promise<T>;
  }

  /** Claims a node and works on it; undefined if another process holds it. */
  async tryRun<T>(id: number, attempt: (held: NodeClaim) => Promise<T>): Promise<{ value: T } | undefined> {
    return (await this.claim(id)) ? { value: await this.run(id, attempt) } : undefined;
  }

  /** Aborts this process's work on a node because the node is deleted. */
  stop(id: number): void {
    void this.#worker.stop(id, fail('node_removing', `Work node ${id} is deleted`));
  }

  async #perform({ id, attempt }: Job, run: JobRun): Promise<unknown> {
    const { log } = this.#parts;
    const signal = withFailures(run.signal, id);
    let wait_ms = 0;
    const retry = () => {
      wait_ms = retry_ms;
    };
    const held = { signal, retry, isHeld: () => run.renew() };
    try {
      return await (attempt ? this.#urgent.run(() => attempt(held), { signal }) : this.#parts.attempt(id, held));
    } finally {
      await this.#worker.release(id, wait_ms).catch((fault: unknown) => log.warn('Could not release a lease', { id, fault }));
    }
  }
}

/** Returns a signal that follows another one, with a failure for each of the worker's own reasons. */
function withFailures(signal: AbortSignal, id: number): AbortSignal {
  const abort = new AbortController();
  const forward = () => abort.abort(failureOf(signal.reason, id));
  if (signal.aborted) forward();
  else signal.addEventListener('abort', forward, { once: true });
  return abort.signal;
}

function failureOf(reason: unknown, id: number): unknown {
  if (reason === 'lost') return fail('node_removing', `Work node ${id} was deleted or claimed by another instance`);
  if (reason === 'interrupted') return fail('engine_unavailable', 'The platform is stopping; the work continues after the restart');
  if (reason !== 'expired') return reason;
  return failCore(
    'database_unavailable',
    `The database was unavailable for so long that another instance may have claimed work node ${id}`,
  );
}
