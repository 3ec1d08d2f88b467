interface Waiter<Step> {
  resolve: (step: Step | 'idle') => void;
  reject: (fault: unknown) => void;
}

/** Waits for the next step of a stream with a time limit, using one timer for all waits. It may wait for the same step repeatedly. */
export class StepWait<Step> {
  #timer: NodeJS.Timeout | undefined;
  #limit_ms = 0;
  /** Start of the current wait. */
  #since = 0;
  #next: Promise<Step> | undefined;
  #waiter: Waiter<Step> | undefined;
  /** The settled step, which may have arrived while nobody waited. */
  #settled: Promise<Step> | undefined;

  wait(next: Promise<Step>, limit_ms: number): Promise<Step | 'idle'> {
    if (this.#settled && next === this.#next) return this.#settled;
    this.#expect(limit_ms);
    // One handler per step: a handler per wait would leak for as long as nothing arrives, perhaps a day.
    if (next !== this.#next) this.follow(next);
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** Observes a step before the wait, so that a failure without a waiter is handled. */
  follow(next: Promise<Step>): void {
    this.#next = next;
    this.#settled = undefined;
    next.then(this.#came, this.#failed);
  }

  readonly #came = (step: Step): void => {
    this.#settled = this.#next;
    this.#waiter?.resolve(step);
    this.#waiter = undefined;
  };

  readonly #failed = (fault: unknown): void => {
    this.#settled = this.#next;
    this.#waiter?.reject(fault);
    this.#waiter = undefined;
  };

  readonly #look = (): void => {
    const left_ms = this.#since + this.#limit_ms - performance.now();
    this.#timer = left_ms > 0 ? setTimeout(this.#look, left_ms) : undefined;
    if (this.#timer) return;
    this.#waiter?.resolve('idle');
    this.#waiter = undefined;
  };

  /** Starts the timer if none runs. Checking again when it ends is cheaper than moving it for each of thousands of steps a second. */
  #expect(limit_ms: number): void {
    this.#since = performance.now();
    if (this.#timer && limit_ms === this.#limit_ms) return;
    clearTimeout(this.#timer);
    this.#limit_ms = limit_ms;
    this.#timer = setTimeout(this.#look, limit_ms);
  }
}
