import { failData } from './failures.js';

interface Waiter {
  start(): void;
  isAwaited: boolean;
  timer: NodeJS.Timeout;
}

export interface MutexOptions {
  /** Time limit of the wait. */
  timeout_ms: number;
  /** Limit of waiting callers. */
  max: number;
  /** Name of the protected thing, for messages. */
  what: string;
  /** Returns whether a person waits for the current caller. Default: never, so callers run in order. */
  isAwaited?: () => boolean;
}

/**
 * Runs work one at a time, in order, except that work a person waits for goes first. After such an overtaking the oldest waiter is next,
 * so that background work gets at least every second turn.
 */
export class Mutex {
  readonly #options: MutexOptions;
  readonly #waiting = new Set<Waiter>();
  #isLocked = false;
  /** Whether the last turn went to a waiter other than the oldest. */
  #hasOvertaken = false;

  constructor(options: MutexOptions) {
    this.#options = options;
  }

  get idle(): boolean {
    return !this.#isLocked;
  }

  async run<T>(work: () => Promise<T>, timeout_ms = this.#options.timeout_ms): Promise<T> {
    if (this.#isLocked) await this.#wait(timeout_ms);
    this.#isLocked = true;
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #wait(timeout_ms: number): Promise<void> {
    const { max, what, isAwaited = () => false } = this.#options;
    if (this.#waiting.size >= max) throw failData('database_busy', `More than ${max} callers wait for ${what}`, { retry_after: 1 });
    return new Promise((resolve, reject) => {
      const late = () => {
        this.#waiting.delete(waiter);
        reject(failData('database_busy', `Timed out after ${timeout_ms} ms waiting for ${what}`, { retry_after: 1 }));
      };
      const waiter = { start: resolve, timer: setTimeout(late, timeout_ms), isAwaited: isAwaited() };
      this.#waiting.add(waiter);
    });
  }

  /** Passes the lock directly to the next waiter, so that no new caller can take it in between. */
  #next(): void {
    const waiter = this.#first();
    if (!waiter) {
      this.#isLocked = false;
      return;
    }
    this.#waiting.delete(waiter);
    clearTimeout(waiter.timer);
    waiter.start();
  }

  #first(): Waiter | undefined {
    const [oldest] = this.#waiting;
    const awaited = this.#hasOvertaken ? undefined : this.#firstAwaited();
    this.#hasOvertaken = awaited !== undefined && awaited !== oldest;
    return awaited ?? oldest;
  }

  #firstAwaited(): Waiter | undefined {
    for (const waiter of this.#waiting) if (waiter.isAwaited) return waiter;
    return undefined;
  }
}
