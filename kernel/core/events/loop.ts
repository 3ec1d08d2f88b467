/** Longest wait between two runs. */
const max_ms = 5_000;

/** Runs a task after each wake-up, and after the wait that the last run returned. Runs never overlap. */
export class Loop {
  readonly #turn: (signal: AbortSignal) => Promise<number | undefined>;
  readonly #failed: (fault: unknown) => undefined;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #again = false;

  /** @param turn - Returns the wait in ms until its next run; undefined waits for `wake`. A long run must stop at the signal. */
  constructor(turn: (signal: AbortSignal) => Promise<number | undefined>, failed: (fault: unknown) => void) {
    this.#turn = turn;
    this.#failed = (fault) => {
      failed(fault);
      return undefined;
    };
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  wake(): void {
    this.#again = true;
    if (this.#running || this.#stopping.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let wait_ms: number | undefined;
    while (this.#again && !signal.aborted) {
      this.#again = false;
      wait_ms = await this.#turn(signal).catch(this.#failed);
      if (wait_ms === 0) this.#again = true;
    }
    this.#running = undefined;
    if (signal.aborted || wait_ms === undefined) return;
    this.#timer = setTimeout(() => this.wake(), Math.min(wait_ms, max_ms)).unref();
  }
}
