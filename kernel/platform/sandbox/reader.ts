import { event_bytes, leave_limit_ms, window_bytes } from './limits.js';

export interface ReaderParts {
  /** Permits the source to send that many more bytes. */
  credit(bytes: number): void;
  /** Notifies the source that the reader has left. */
  leave(): void;
  /** Called if the source sends more than permitted. */
  overrun(): void;
  /** Called when nothing more is expected, so that the stream can be removed. */
  forget(): void;
}

interface Waiting {
  resolve(step: IteratorResult<unknown>): void;
  reject(fault: unknown): void;
}

const end = { done: true, value: undefined } as const;

/** The reading end of a stream. Buffers at most its window and one event. */
export class Reader implements AsyncIterableIterator<unknown> {
  readonly #parts: ReaderParts;
  readonly #events: { value: unknown; bytes: number }[] = [];
  readonly #waiting: Waiting[] = [];
  #buffered = 0;
  #consumed = 0;
  #isStarted = false;
  #ended: { thrown?: unknown } | undefined;
  #leaving: Promise<IteratorResult<unknown>> | undefined;
  #settle: () => void = () => undefined;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<unknown>> {
    const event = this.#events.shift();
    if (event) {
      this.#buffered -= event.bytes;
      this.#consume(event.bytes);
      return { done: false, value: event.value };
    }
    if (this.#leaving || this.#ended) return this.#last();
    if (!this.#isStarted) this.#parts.credit(window_bytes);
    this.#isStarted = true;
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Leaves the stream; resolves when the source has ended, or after 5 s. Rejects if its end failed. */
  return(): Promise<IteratorResult<unknown>> {
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  /** Handles an event from the source. */
  event(value: unknown, bytes: number): void {
    if (this.#ended || this.#leaving) return;
    const waiting = this.#waiting.shift();
    if (waiting) {
      this.#consume(bytes);
      waiting.resolve({ done: false, value });
      return;
    }
    this.#events.push({ value, bytes });
    this.#buffered += bytes;
    if (this.#buffered > window_bytes + event_bytes) this.#parts.overrun();
  }

  /** Handles the end of the source, with or without an error. */
  end(fault: { thrown?: unknown } = {}): void {
    if (this.#ended) return;
    this.#ended = fault;
    this.#parts.forget();
    this.#settle();
    const [first, ...others] = this.#waiting.splice(0);
    if (!first) return;
    if ('thrown' in fault) first.reject(this.#takeError());
    else first.resolve(end);
    for (const waiting of others) waiting.resolve(end);
  }

  async #leave(): Promise<IteratorResult<unknown>> {
    this.#events.length = 0;
    for (const waiting of this.#waiting.splice(0)) waiting.resolve(end);
    if (this.#ended) return end;
    this.#parts.leave();
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#settle = resolve;
      timer = setTimeout(resolve, leave_limit_ms);
    });
    clearTimeout(timer);
    this.#parts.forget();
    if (this.#ended && 'thrown' in this.#ended) throw this.#takeError();
    this.#ended = {};
    return end;
  }

  /** Returns the result after the last event: throws the error once, then the end, like an async generator. */
  #last(): IteratorResult<unknown> {
    if (this.#ended && 'thrown' in this.#ended) throw this.#takeError();
    return end;
  }

  #takeError(): unknown {
    const thrown = this.#ended?.thrown;
    this.#ended = {};
    return thrown;
  }

  #consume(bytes: number): void {
    this.#consumed += bytes;
    if (this.#ended || this.#consumed < window_bytes / 2) return;
    this.#parts.credit(this.#consumed);
    this.#consumed = 0;
  }
}
