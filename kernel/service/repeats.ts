import { AsyncTask, SimpleIntervalJob, ToadScheduler } from 'toad-scheduler';
import type { Repeat } from '../contract/extension.js';
import type { ChildLog } from '../log.js';

/** Jobs at an interval. A job never overlaps itself; a fault is logged and the next turn comes as planned. */
export class Repeats {
  readonly #scheduler = new ToadScheduler();
  readonly #log: ChildLog;
  #started = 0;

  constructor(log: ChildLog) {
    this.#log = log;
  }

  /** Starts a job; gives a function that ends it and waits for the turn that is under way. */
  start(owner: string, { name, every_ms }: Repeat, work: () => Promise<void>): () => Promise<void> {
    this.#started += 1;
    const id = `${owner}.${name}#${this.#started}`;
    let turn: Promise<void> = Promise.resolve();
    const task = new AsyncTask(
      id,
      () => (turn = work()),
      (fault) => this.#log.error(`The repeated work '${owner}.${name}' failed`, { err: fault }),
    );
    this.#scheduler.addSimpleIntervalJob(new SimpleIntervalJob({ milliseconds: every_ms }, task, { id, preventOverrun: true }));
    return async () => {
      this.#scheduler.removeById(id);
      await turn.catch(() => undefined);
    };
  }

  stop(): void {
    this.#scheduler.stop();
  }
}
