import type { Step } from '../../contract/operation.js';

/** Between two that are told. */
const pause_ms = 100;

/** Tells how far a call is, ten times a second at most; of what comes in between, the latest. */
export class Steps {
  readonly #tell: (step: Step) => void;
  #latest: Step | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(tell: (step: Step) => void) {
    this.#tell = tell;
  }

  take(step: Step): void {
    if (this.#ended) return;
    this.#latest = step;
    if (this.#timer === undefined) this.#next();
  }

  /** Nothing is told after this. */
  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  #next(): void {
    this.#timer = undefined;
    if (this.#latest === undefined) return;
    this.#tell(this.#latest);
    this.#latest = undefined;
    this.#timer = setTimeout(() => this.#next(), pause_ms).unref();
  }
}
