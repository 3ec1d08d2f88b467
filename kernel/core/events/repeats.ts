import { AsyncTask, SimpleIntervalJob, ToadScheduler } from 'toad-scheduler';
import type { Repeat } from '../../contract/extension.js';
import type { ChildLog } from '../ports.js';

/** Jobs at an interval. A job never overlaps itself; a fault is logged and the next turn comes as planned. */
export class Repeats {
  readonly #log: ChildLog;
  readonly #schedulers = new Set<ToadScheduler>();

  constructor(log: ChildLog) {
    this.#log = log;
  }

  /** Starts a job; gives a function that ends it and waits for the turn that is under way. */
  start(owner: string, { name, every_ms }: Repeat, work: () => Promise<void>): () => Promise<void> {
    const id = `${owner}.${name}`;
    let turn: Promise<void> = Promise.resolve();
    const failed = (fault: unknown) => this.#log.error(`The repeated work '${id}' failed`, { err: fault });
    const run = () => {
      turn = work();
      return turn;
    };
    // One for each job: a scheduler keeps what was removed from it, and with that all that the job holds.
    const scheduler = new ToadScheduler();
    this.#schedulers.add(scheduler);
    const job = new SimpleIntervalJob({ milliseconds: every_ms }, new AsyncTask(id, run, failed), { id, preventOverrun: true });
    scheduler.addSimpleIntervalJob(job);
    return async () => {
      scheduler.stop();
      this.#schedulers.delete(scheduler);
      await turn.catch(() => undefined);
    };
  }

  stop(): void {
    for (const scheduler of this.#schedulers) scheduler.stop();
  }
}
