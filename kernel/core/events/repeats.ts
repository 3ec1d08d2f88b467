import { AsyncTask, SimpleIntervalJob, ToadScheduler } from 'toad-scheduler';
import type { Repeat } from '../../contract/extension.js';
import type { ChildLog } from '../ports.js';

/** Runs jobs at an interval. A job never overlaps itself; a fault is logged and the next run comes as planned. */
export class Repeats {
  readonly #log: ChildLog;
  readonly #schedulers = new Set<ToadScheduler>();

  constructor(log: ChildLog) {
    this.#log = log;
  }

  /** Starts a job. Returns a function that stops it and waits for the current run. */
  start(owner: string, { name, every_ms }: Repeat, work: () => Promise<void>): () => Promise<void> {
    const id = `${owner}.${name}`;
    let turn: Promise<void> = Promise.resolve();
    const failed = (fault: unknown) => this.#log.error(`The repeated job '${id}' failed`, { err: fault });
    const run = () => {
      turn = work();
      return turn;
    };
    // One scheduler per job: a scheduler keeps a reference to each removed job and everything that job holds.
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
