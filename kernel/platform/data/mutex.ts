import { failData } from './failures.js';

interface Waiter {
  start(): void;
  isAwaited: boolean;
  timer: NodeJS.Timeout;
}

export interface TurnOptions {
  /** How long one may wait for its turn. */
  timeout_ms: number;
  /** How many may wait. */
  max: number;
  /** The awaited thing, as the message names it. */
  what: string;
  /** Whether somebody waits for what asks for a turn now. Default: nobody does, and the order is that in which it came. */
  isAwaited?: () => boolean;
}

/**
 * Lets work run one at a time, in the order it came; what somebody waits for goes first. Who was overtaken by it is next: so of two turns
 * one is that of who has waited longest, however much is waited for.
 */
export class Mutex {
  readonly #options: TurnOptions;
  readonly #waiting = new Set<Waiter>();
  #taken = false;
  /** Whether the turn that was given last was not that of who has waited longest. */
  #hasOvertaken = false;

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
    const { max, what, isAwaited = () => false } = this.#options;
    if (this.#waiting.size >= max) throw failData('database_busy', `More than ${max} wait for ${what}`, { retry_after: 1 });
    return new Promise((resolve, reject) => {
      const late = () => {
        this.#waiting.delete(waiter);
        reject(failData('database_busy', `Waited ${timeout_ms} ms for ${what} without getting it`, { retry_after: 1 }));
      };
      const waiter = { start: resolve, timer: setTimeout(late, timeout_ms), isAwaited: isAwaited() };
      this.#waiting.add(waiter);
    });
  }

  /** Hands the turn on without letting go of it, so that nobody overtakes who waits. */
  #next(): void {
    const waiter = this.#first();
    if (!waiter) {
      this.#taken = false;
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
