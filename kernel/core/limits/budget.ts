/** An amount per time window. The next window starts with the first use after the last has ended. */
export class Budget {
  readonly #amount: number;
  readonly #window_ms: number;
  #since = Number.NEGATIVE_INFINITY;
  #used = 0;

  constructor(amount: number, window_ms: number) {
    this.#amount = amount;
    this.#window_ms = window_ms;
  }

  /** Starts a new window if the last has ended. Returns, once, the excess of the ended window; otherwise 0. */
  renew(): number {
    const now = performance.now();
    if (now - this.#since <= this.#window_ms) return 0;
    const excess = Math.max(0, this.#used - this.#amount);
    this.#since = now;
    this.#used = 0;
    return excess;
  }

  /** Whole seconds until the current window ends, at least 1. */
  get renews_in_s(): number {
    return Math.max(1, Math.ceil((this.#since + this.#window_ms - performance.now()) / 1_000));
  }

  /** Uses an amount; false if the window's amount is exceeded. */
  use(amount = 1): boolean {
    this.renew();
    this.#used += amount;
    return this.#used <= this.#amount;
  }
}
