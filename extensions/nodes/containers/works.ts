import { fail as failCore, type Log } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { NodeStatus } from '../contract.js';
import type { Leases } from '../store/leases.js';
import { Turns } from './turns.js';

export interface WorksParts {
  leases: Leases;
  log: Log;
  /** Names this process. */
  instance: string;
  /** Tells the kernel of work that is under way. */
  track: (work: Promise<unknown>) => void;
  /** How often a lease is renewed, in ms. Default 5,000. */
  hold_ms?: number;
}

/** Nodes that are worked on at once in this process: those that somebody waits for, and those that are tried again. */
const at_once = { urgent: 16, patient: 6 };

/** How long it takes until what an engine didn't answer is tried again, in ms. */
export const again_ms = 5_000;

export interface Work<T> {
  id: number;
  /** In which it may be worked on; where it gets another, the work is aborted. */
  status: readonly NodeStatus[];
  /** Under whose name it is held already; claimed first where left out. */
  owner?: string | undefined;
  /** Somebody has just asked for it: it doesn't wait for engines that are asked again and again. */
  urgent: boolean;
  run: (work: Held) => Promise<T>;
}

/** A node that this process works on. */
export interface Held {
  /** Aborts with a failure where the node is deleted, taken by another, or the process ends. */
  signal: AbortSignal;
  /** It is tried again after a while, by whoever comes then. */
  again: () => void;
  /** Asks the database whether it is still this process that works on it, in a status in which it may. */
  ours: () => Promise<boolean>;
}

/** What this process makes and removes in engines: each node by one at a time, of all instances. */
export class Works {
  readonly #parts: WorksParts;
  readonly #running = new Map<number, { abort: AbortController; makes: boolean }>();
  readonly #urgent = new Turns(at_once.urgent);
  readonly #patient = new Turns(at_once.patient);
  #count = 0;
  #ended = false;

  constructor(parts: WorksParts) {
    this.#parts = parts;
  }

  /** How many more that nobody waits for could begin now. */
  get free(): number {
    return this.#patient.free;
  }

  /** How many nodes this process works on. */
  get running(): number {
    return this.#running.size;
  }

  /** A name under which one node is held once. */
  owner(): string {
    this.#count += 1;
    return `${this.#parts.instance}:${this.#count}`;
  }

  /** Works on a node; undefined where another does. */
  run<T>(work: Work<T>): Promise<{ value: T } | undefined> {
    const done = this.#run(work);
    this.#parts.track(done.catch(() => undefined));
    return done;
  }

  /** Ends what is being made of a node in this process. */
  stop(id: number): void {
    const { abort, makes } = this.#running.get(id) ?? {};
    if (makes) abort?.abort(fail('node_removing', `Work node ${id} is deleted`));
  }

  /** Ends all of it; it is taken up again by whoever comes next. */
  end(): void {
    this.#ended = true;
    for (const { abort } of this.#running.values()) abort.abort(ending());
  }

  async #run<T>({ id, status, run, urgent, ...given }: Work<T>): Promise<{ value: T } | undefined> {
    const { leases } = this.#parts;
    const owner = given.owner ?? this.owner();
    if (given.owner === undefined && !(await leases.claim(id, owner))) return undefined;
    const abort = new AbortController();
    if (this.#ended) abort.abort(ending());
    this.#running.set(id, { abort, makes: !status.includes('removing') });
    const ours = () => leases.hold(id, owner, status);
    const letGo = this.#hold(id, ours, abort);
    let pause_ms = 0;
    const again = () => {
      pause_ms = again_ms;
    };
    try {
      const turns = urgent ? this.#urgent : this.#patient;
      const value = await turns.run(() => run({ signal: abort.signal, again, ours }), abort.signal);
      return { value };
    } finally {
      letGo();
      if (this.#running.get(id)?.abort === abort) this.#running.delete(id);
      await leases
        .release(id, owner, pause_ms)
        .catch((fault: unknown) => this.#parts.log.warn('A lease was not given back', { id, fault }));
    }
  }

  /** Renews a lease until it is let go of. Where that fails for too long the work is aborted before another may take it over. */
  #hold(id: number, ours: () => Promise<boolean>, abort: AbortController): () => void {
    const { leases, log, hold_ms = 5_000 } = this.#parts;
    // So much earlier as it may have been taken before the work began, and as an answer may be late.
    const late = setTimeout(() => abort.abort(unsure(id)), leases.lease_ms - hold_ms);
    const renew = async () => {
      try {
        if (await ours()) late.refresh();
        else abort.abort(fail('node_removing', `Work node ${id} is deleted, or another instance works on it`));
      } catch (fault) {
        // The lease outlasts a database that is away for a moment.
        log.warn('A lease was not renewed', { id, fault });
      }
    };
    const renewing = setInterval(() => void renew(), hold_ms);
    return () => {
      clearInterval(renewing);
      clearTimeout(late);
    };
  }
}

function unsure(id: number) {
  return failCore('database_unavailable', `The database is away for so long that another instance may work on work node ${id} by now`);
}

function ending() {
  return fail('engine_unavailable', 'The platform stops; what was begun goes on when it is back');
}
