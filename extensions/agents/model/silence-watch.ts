import { AnswerFault } from './failures.js';

/** Event that is awaited. */
type Awaited = 'first_byte' | 'idle';

/** Aborts a request, and closes its socket, if the server falls silent. */
export class SilenceWatch {
  readonly #controller = new AbortController();
  readonly signal: AbortSignal;
  #timer: NodeJS.Timeout | undefined;
  #last: NodeJS.Immediate | undefined;
  #limit_ms = 0;
  #since = 0;
  #awaited: Awaited = 'first_byte';

  constructor(outer: AbortSignal) {
    this.signal = AbortSignal.any([outer, this.#controller.signal]);
  }

  /** Starts a limit for the next byte. */
  expect(limit_ms: number, awaited: Awaited): void {
    this.#since = performance.now();
    this.#awaited = awaited;
    // Resetting the timer for each of thousands of pieces a second costs more than checking again when it fires.
    if (limit_ms === this.#limit_ms) return;
    this.end();
    this.#limit_ms = limit_ms;
    this.#wait(limit_ms);
  }

  /** Stops the limit after a complete answer. */
  end(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#last);
  }

  /** Stops the limit and aborts the rest of the request. */
  abort(): void {
    this.end();
    this.#controller.abort();
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.#checkDeadline(), ms);
  }

  #checkDeadline(): void {
    const left_ms = this.#left_ms();
    if (left_ms > 0) this.#wait(left_ms);
    // After a blocked event loop, the deadline may have passed although bytes arrived before it: read those first.
    else this.#last = setImmediate(() => (this.#left_ms() > 0 ? this.#checkDeadline() : this.#controller.abort(this.#fault())));
  }

  #left_ms(): number {
    return this.#since + this.#limit_ms - performance.now();
  }

  #fault(): AnswerFault {
    const advice = this.#awaited;
    const since = advice === 'idle' ? ' in the middle of its answer' : '';
    return new AnswerFault(`sent nothing for ${this.#limit_ms / 1000} s${since}`, { code: 'timeout', advice });
  }
}
