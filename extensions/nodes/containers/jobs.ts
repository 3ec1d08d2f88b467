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

/** A node that this process works on. */
export interface Held {
  /** Aborts with a failure where the node is deleted, taken by another, or the process ends. */
  signal: AbortSignal;
  /** It is retried after a while, by whichever instance comes first. */
  again: () => void;
  /** Asks the database whether this process still works on it. */
  ours: () => Promise<boolean>;
}

interface Job {
  id: number;
  /** For a person who waits; left out: the queue's own attempt. */
  attempt?: (held: Held) => Promise<unknown>;
}

export interface NodeJobsParts {
  name: string;
  condition: NodeCondition;
  work: Context['work'];
  log: Log;
  /** An attempt that nobody waits for. */
  attempt: (id: number, held: Held) => Promise<unknown>;
  /** Default: 20 s, renewed every 5 s. */
  lease?: { lease_ms: number; heartbeat_ms: number } | undefined;
}

/** Nodes that are worked on at once in this process, for people who wait and otherwise. */
const max_urgent = 16;
const max_patient = 6;
/** What an engine didn't answer is retried after this. */
const again_ms = 5_000;

/** One kind of work on nodes in engines. Each node has one worker at a time, of all instances. */
export class NodeJobs {
  readonly #parts: NodeJobsParts;
  readonly #worker: Worker<Job, unknown>;
  readonly #urgent = new Limiter(max_urgent);

  constructor(parts: NodeJobsParts) {
    const { name, work, condition, lease = { lease_ms: 20_000, heartbeat_ms: 5_000 } } = parts;
    this.#parts = parts;
    this.#worker = work<JobRow & Job, Job, unknown>({
      name,
      table: jobTable(condition),
      lapsed: 'retry',
      max_running: max_patient,
      ...lease,
      load: (rows) => rows.map(({ id }) => ({ id })),
      perform: (job, run) => this.#perform(job, run),
    });
  }

  get running(): number {
    return this.#worker.running;
  }

  /** Frees what dead processes held, where that is certain. */
  recover(): Promise<void> {
    return this.#worker.recover();
  }

  /** Claims a node in the transaction that runs here; false where another works on it. */
  take(id: number): Promise<boolean> {
    return this.#worker.take(id);
  }

  /** Lets go of a node that was taken; it is retried after a while. */
  postpone(id: number): Promise<void> {
    return this.#worker.release(id, again_ms);
  }

  /** Works on a node that was taken. Rejects as the attempt does. */
  run<T>(id: number, attempt: (held: Held) => Promise<T>): Promise<T> {
    return this.#worker.start({ id, attempt }) as Promise<T>;
  }

  /** Takes a node and works on it; undefined where another does. */
  async tryRun<T>(id: number, attempt: (held: Held) => Promise<T>): Promise<{ value: T } | undefined> {
    return (await this.take(id)) ? { value: await this.run(id, attempt) } : undefined;
  }

  /** Aborts what is done to a node in this process, because it is deleted. */
  stop(id: number): void {
    void this.#worker.stop(id, fail('node_removing', `Work node ${id} is deleted`));
  }

  async #perform({ id, attempt }: Job, run: JobRun): Promise<unknown> {
    const { log } = this.#parts;
    const signal = withFailures(run.signal, id);
    let wait_ms = 0;
    const again = () => {
      wait_ms = again_ms;
    };
    const held = { signal, again, ours: () => run.renew() };
    try {
      return await (attempt ? this.#urgent.run(() => attempt(held), { signal }) : this.#parts.attempt(id, held));
    } finally {
      await this.#worker.release(id, wait_ms).catch((fault: unknown) => log.warn('A lease was not given back', { id, fault }));
    }
  }
}

/** Aborts when `signal` does, with a failure for each of the worker's own reasons. */
function withFailures(signal: AbortSignal, id: number): AbortSignal {
  const abort = new AbortController();
  const pass = () => abort.abort(failureOf(signal.reason, id));
  if (signal.aborted) pass();
  else signal.addEventListener('abort', pass, { once: true });
  return abort.signal;
}

function failureOf(reason: unknown, id: number): unknown {
  if (reason === 'lost') return fail('node_removing', `Work node ${id} is deleted, or another instance works on it`);
  if (reason === 'interrupted') return fail('engine_unavailable', 'The platform stops; what was begun goes on when it is back');
  if (reason !== 'expired') return reason;
  return failCore('database_unavailable', `The database is away for so long that another instance may work on work node ${id} by now`);
}
