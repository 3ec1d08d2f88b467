import type { Step } from '../../contract/operation.js';

/** Minimum time between two reports. */
const pause_ms = 100;

/** Throttles progress reports to ten a second; of those in between only the latest is sent. */
export class ProgressThrottle {
  readonly #report: (step: Step) => void;
  #latest: Step | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(report: (step: Step) => void) {
    this.#report = report;
  }

  report(step: Step): void {
    if (this.#ended) return;
    this.#latest = step;
    if (this.#timer === undefined) this.#next();
  }

  /** Drops further reports. */
  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #next(): void {
    this.#timer = undefined;
    if (this.#latest === undefined) return;
    this.#report(this.#latest);
    this.#latest = undefined;
    this.#timer = setTimeout(() => this.#next(), pause_ms).unref();
  }
}
