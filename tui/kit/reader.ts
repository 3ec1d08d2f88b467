import { Failure, isFailure } from '../../kernel/contract/failure.js';

/** State of a value that is polled. */
export interface Read<T> {
  /** The last value; it stays during the next read, and after a failed one. */
  value?: T | undefined;
  /** Why the last read failed. */
  error?: Failure | undefined;
  loading: boolean;
}

export interface ReaderOptions<T> {
  read: (signal: AbortSignal) => Promise<T>;
  onState: (read: Read<T>) => void;
  /** Counts reads that start (1) and end (-1). */
  reading: (change: 1 | -1) => void;
  /** Pause after each read. Default: no polling. */
  every_ms?: number | undefined;
  /** Minimum time between two reads triggered by events. Default 1,000. */
  min_interval_ms?: number | undefined;
}

/** Polls a value; reads never overlap. */
export class Reader<T> {
  readonly #options: ReaderOptions<T>;
  readonly #abort = new AbortController();
  #read: Read<T> = { loading: true };
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #isRequested = false;
  #last = Number.NEGATIVE_INFINITY;

  constructor(options: ReaderOptions<T>) {
    this.#options = options;
  }

  /** Reads now, or after the current read. */
  again(): void {
    if (this.#abort.signal.aborted) return;
    this.#isRequested = true;
    if (!this.#isReading) this.#start(0);
  }

  /** Reads after a change event, at most once per `min_interval_ms`. */
  changed(): void {
    if (this.#abort.signal.aborted) return;
    this.#isRequested = true;
    if (!this.#isReading) this.#start(this.#pause());
  }

  stop(): void {
    this.#abort.abort();
    clearTimeout(this.#timer);
  }

  #pause(): number {
    const { min_interval_ms = 1_000 } = this.#options;
    return Math.max(0, this.#last + min_interval_ms - performance.now());
  }

  #start(wait_ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), wait_ms);
  }

  async #run(): Promise<void> {
    const { reading, read } = this.#options;
    const { signal } = this.#abort;
    this.#isReading = true;
    this.#isRequested = false;
    this.#last = performance.now();
    reading(1);
    if (this.#read.value === undefined) this.#update({ loading: true });
    try {
      this.#update({ value: await read(signal), error: undefined, loading: false });
    } catch (thrown) {
      this.#update({ error: failureOf(thrown), loading: false });
    } finally {
      reading(-1);
      this.#isReading = false;
      this.#next();
    }
  }

  #next(): void {
    const { every_ms } = this.#options;
    if (this.#abort.signal.aborted) return;
    if (this.#isRequested) this.#start(this.#pause());
    else if (every_ms !== undefined) this.#start(every_ms);
  }

  #update(change: Partial<Read<T>>): void {
    if (this.#abort.signal.aborted) return;
    this.#read = { ...this.#read, ...change } as Read<T>;
    this.#options.onState(this.#read);
  }
}

/** Returns a thrown value as a failure; anything else is a bug, and becomes `internal_error` with its message. */
export function failureOf(thrown: unknown): Failure {
  if (isFailure(thrown)) return thrown;
  return new Failure('internal_error', thrown instanceof Error ? thrown.message : String(thrown), { status: 500, cause: thrown });
}
