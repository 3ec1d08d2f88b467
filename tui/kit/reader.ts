import { Failure, isFailure } from '../../kernel/contract/failure.js';

/** What is known of something that is read again and again. */
export interface Read<T> {
  /** The last value; it stays while it is read again, and when that fails. */
  value?: T | undefined;
  /** Why the last try failed. */
  error?: Failure | undefined;
  loading: boolean;
}

export interface ReaderOptions<T> {
  read: (signal: AbortSignal) => Promise<T>;
  tell: (read: Read<T>) => void;
  /** Told how many reads began (1) and ended (-1). */
  reading: (change: 1 | -1) => void;
  /** The pause after each read. Default: none is made by itself. */
  every_ms?: number | undefined;
  /** Between two reads that events ask for. Default 1,000. */
  least_ms?: number | undefined;
}

/** Reads something, again and again, and never twice at once. */
export class Reader<T> {
  readonly #options: ReaderOptions<T>;
  readonly #abort = new AbortController();
  #read: Read<T> = { loading: true };
  #timer: NodeJS.Timeout | undefined;
  #isReading = false;
  #isWanted = false;
  #last = Number.NEGATIVE_INFINITY;

  constructor(options: ReaderOptions<T>) {
    this.#options = options;
  }

  /** Reads now, or after the read that is under way. */
  again(): void {
    if (this.#abort.signal.aborted) return;
    this.#isWanted = true;
    if (!this.#isReading) this.#start(0);
  }

  /** Something has changed: reads soon, at most once a second. */
  changed(): void {
    if (this.#abort.signal.aborted) return;
    this.#isWanted = true;
    if (!this.#isReading) this.#start(this.#pause());
  }

  stop(): void {
    this.#abort.abort();
    clearTimeout(this.#timer);
  }

  #pause(): number {
    const { least_ms = 1_000 } = this.#options;
    return Math.max(0, this.#last + least_ms - performance.now());
  }

  #start(wait_ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), wait_ms);
  }

  async #run(): Promise<void> {
    const { reading, read } = this.#options;
    const { signal } = this.#abort;
    this.#isReading = true;
    this.#isWanted = false;
    this.#last = performance.now();
    reading(1);
    if (this.#read.value === undefined) this.#tell({ loading: true });
    try {
      this.#tell({ value: await read(signal), error: undefined, loading: false });
    } catch (thrown) {
      this.#tell({ error: failureOf(thrown), loading: false });
    } finally {
      reading(-1);
      this.#isReading = false;
      this.#next();
    }
  }

  #next(): void {
    const { every_ms } = this.#options;
    if (this.#abort.signal.aborted) return;
    if (this.#isWanted) this.#start(this.#pause());
    else if (every_ms !== undefined) this.#start(every_ms);
  }

  #tell(change: Partial<Read<T>>): void {
    if (this.#abort.signal.aborted) return;
    this.#read = { ...this.#read, ...change } as Read<T>;
    this.#options.tell(this.#read);
  }
}

/** What was thrown, as a failure; what is none is a mistake of the program, told by its sentence. */
export function failureOf(thrown: unknown): Failure {
  if (isFailure(thrown)) return thrown;
  return new Failure('internal_error', thrown instanceof Error ? thrown.message : String(thrown), { status: 500, cause: thrown });
}
