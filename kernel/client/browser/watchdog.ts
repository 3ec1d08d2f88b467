import type { Hints } from './hints.js';

export interface WatchdogOptions {
  /** Limit of a silence. */
  limit_ms: number;
  /** Limit of the present silence after a hint, because the connection may have died while the machine slept. Default: as before. */
  hurried_ms?: number | undefined;
  hints: Hints;
  /** Creates the reason of the abort. */
  failure: (silence_ms: number) => unknown;
  /** End the request too, with their reason. */
  signals: readonly (AbortSignal | undefined)[];
}

/** Aborts a request if nothing arrives for some time. */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #abort = new AbortController();
  readonly #stop: () => void;
  #since = Date.now();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    const { limit_ms, hurried_ms, hints, signals } = options;
    this.#stop = hints.listen(() => hurried_ms !== undefined && this.#watch(hurried_ms));
    this.#watch(limit_ms);
    for (const signal of signals) signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (signals.some((signal) => signal?.aborted)) this.#onAbort();
  }

  /** Aborts when the time is up, or with the first of the signals. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Begins a new silence. */
  fed(): void {
    this.#since = Date.now();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#stop();
    for (const signal of this.#options.signals) signal?.removeEventListener('abort', this.#onAbort);
  }

  /** Stops, and ends the request. */
  end(): void {
    this.stop();
    this.#abort.abort();
  }

  /** Checks the silence when it may be too long. Chunks don't restart the timer: that would cost more than most of them. */
  #watch(limit_ms: number): void {
    clearTimeout(this.#timer);
    const since = this.#since;
    this.#timer = setTimeout(
      () => {
        if (this.#since === since) this.#cut(this.#options.failure(limit_ms));
        else this.#watch(this.#options.limit_ms);
      },
      Math.max(0, since + limit_ms - Date.now()),
    );
  }

  readonly #onAbort = (): void => this.#cut(this.#options.signals.find((signal) => signal?.aborted)?.reason);

  #cut(reason: unknown): void {
    this.stop();
    this.#abort.abort(reason);
  }
}
