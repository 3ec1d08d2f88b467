import { failData } from './failures.js';

interface Waiter {
  start(): void;
  timer: NodeJS.Timeout;
}

export interface TurnOptions {
  /** How long one may wait for its turn. */
  timeout_ms: number;
  /** How many may wait. */
  most: number;
  /** What is waited for, as the sentence names it. */
  what: string;
}

/** Lets work run one at a time, in the order it came. */
export class Turns {
  readonly #options: TurnOptions;
  readonly #waiting = new Set<Waiter>();
  #taken = false;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  get idle(): boolean {
    return !this.#taken;
  }

  async run<T>(work: () => Promise<T>, timeout_ms = this.#options.timeout_ms): Promise<T> {
    if (this.#taken) await this.#wait(timeout_ms);
    this.#taken = true;
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #wait(timeout_ms: number): Promise<void> {
    const { most, what } = this.#options;
    if (this.#waiting.size >= most) throw failData('database_busy', `More than ${most} wait for ${what}`, { retry_after: 1 });
    return new Promise((resolve, reject) => {
      const late = () => {
        this.#waiting.delete(waiter);
        reject(failData('database_busy', `Waited ${timeout_ms} ms for ${what} without getting it`, { retry_after: 1 }));
      };
      const waiter: Waiter = { start: resolve, timer: setTimeout(late, timeout_ms) };
      this.#waiting.add(waiter);
    });
  }

  /** Hands the turn on without letting go of it, so that nobody overtakes who waits. */
  #next(): void {
    const [waiter] = this.#waiting;
    if (!waiter) {
      this.#taken = false;
      return;
    }
    this.#waiting.delete(waiter);
    clearTimeout(waiter.timer);
    waiter.start();
  }
}
