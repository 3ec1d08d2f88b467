interface Waiter<Step> {
  resolve: (step: Step | 'idle') => void;
  reject: (fault: unknown) => void;
}

/** Waits for a reader's next step, again and again, by one timer. For the same step it may be asked often. */
export class Patience<Step> {
  #timer: NodeJS.Timeout | undefined;
  #limit_ms = 0;
  /** When it began to wait for the step. */
  #since = 0;
  #next: Promise<Step> | undefined;
  #waiter: Waiter<Step> | undefined;
  /** The step, once it has come: perhaps while nobody waited. */
  #settled: Promise<Step> | undefined;

  wait(next: Promise<Step>, limit_ms: number): Promise<Step | 'idle'> {
    if (this.#settled && next === this.#next) return this.#settled;
    this.#expect(limit_ms);
    // Once for each: a handler for each wait would stay as long as nothing comes, perhaps for a day.
    if (next !== this.#next) this.follow(next);
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** Hears of a step before it is waited for: also where it fails and nobody waits for it any more. */
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

  /** To move the timer for each of thousands of steps a second costs more than to look again when it ends. */
  #expect(limit_ms: number): void {
    this.#since = performance.now();
    if (this.#timer && limit_ms === this.#limit_ms) return;
    clearTimeout(this.#timer);
    this.#limit_ms = limit_ms;
    this.#timer = setTimeout(this.#look, limit_ms);
  }
}
