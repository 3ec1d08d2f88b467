/** Wait between a write and the emptying of the log. */
const usual_wait_ms = 10_000;

export interface LogEmptierOptions {
  /** Empties the log; returns false if a reader still needs it. */
  empty: () => Promise<boolean>;
  /** Default: 10,000. */
  wait_ms?: number | undefined;
}

/**
 * Empties the write-ahead log soon after writes. A checkpoint leaves the log's file as it is, and until later writes overwrite it, it has
 * the content of rows that were deleted since.
 */
export class LogEmptier {
  readonly #options: LogEmptierOptions;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: LogEmptierOptions) {
    this.#options = options;
  }

  /** Notes that a write begins. The log is emptied after it, because writes and emptying take turns. */
  schedule(): void {
    if (this.#timer || this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#run(), this.#options.wait_ms ?? usual_wait_ms).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    // The next write reports whatever is wrong with the file.
    const isEmpty = await this.#options.empty().catch(() => false);
    if (!isEmpty) this.schedule();
  }
}
