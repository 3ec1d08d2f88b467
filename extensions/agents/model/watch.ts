import { AnswerFault } from './failures.js';

/** The event that is awaited. */
type Awaited = 'first_byte' | 'idle';

/** Ends a request whose server falls silent, and its socket with it. */
export class Watch {
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

  /** From now on a byte must come within the limit. */
  expect(limit_ms: number, awaited: Awaited): void {
    this.#since = performance.now();
    this.#awaited = awaited;
    // To move the timer for each of thousands of pieces a second costs more than to look again when it ends.
    if (limit_ms === this.#limit_ms) return;
    this.end();
    this.#limit_ms = limit_ms;
    this.#wait(limit_ms);
  }

  /** The answer is whole, and nothing is waited for. */
  end(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#last);
  }

  /** Whatever of the request is still open ends with it. */
  giveUp(): void {
    this.end();
    this.#controller.abort();
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), ms);
  }

  #look(): void {
    const left_ms = this.#left_ms();
    if (left_ms > 0) this.#wait(left_ms);
    // A process that was blocked finds both the deadline passed and bytes that came before it: the bytes are read first.
    else this.#last = setImmediate(() => (this.#left_ms() > 0 ? this.#look() : this.#controller.abort(this.#fault())));
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
