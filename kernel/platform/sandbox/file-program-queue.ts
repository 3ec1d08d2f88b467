import type { Disposable } from '../../contract/extension.js';
import { fail } from '../../contract/failure.js';
import { Limiter } from '../../contract/limiter.js';

export interface FileProgramQueueOptions {
  max_at_once: number;
  max_waiting: number;
  /** The files and the wait, for the failure when too many wait: `documents wait to be read`. */
  waiting: string;
}

/** Seconds after which to try again if too many files wait. */
const retry_after = 10;

/** Limits how many programs run on files at once, and ends them with the platform. */
export class FileProgramQueue implements Disposable {
  readonly #options: FileProgramQueueOptions;
  readonly #limiter: Limiter;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: FileProgramQueueOptions) {
    this.#options = options;
    this.#limiter = new Limiter(options.max_at_once);
  }

  /** Runs work in its turn, with a signal that ends it. Fails with `server_busy` if too many wait, with `shutting_down`, and with the signal's reason. */
  async run<T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { max_waiting, waiting } = this.#options;
    if (this.#limiter.waiting >= max_waiting)
      throw fail('server_busy', `${max_waiting} ${waiting}: try again in a moment`, { retry_after });
    const ends = signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal]);
    const running = this.#limiter.run(() => work(ends), { signal: ends });
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Ends all programs, and waits until they have ended. */
  async dispose(): Promise<void> {
    this.#stop.abort(fail('shutting_down', 'The platform is shutting down', { retry_after: 1 }));
    await Promise.allSettled(this.#running);
  }
}
