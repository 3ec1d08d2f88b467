/** However long a turn wants to wait for the next. */
const longest_ms = 5_000;

/** Turns that follow one another: after a wake, and after the time that the last one named. */
export class Loop {
  readonly #turn: () => Promise<number | undefined>;
  readonly #failed: (fault: unknown) => undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  /** @param turn - gives in how many ms the next makes sense; undefined: when something wakes it */
  constructor(turn: () => Promise<number | undefined>, failed: (fault: unknown) => void) {
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
    if (this.#running || this.#stopped) return;
    clearTimeout(this.#timer);
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    let wait_ms: number | undefined;
    while (this.#again && !this.#stopped) {
      this.#again = false;
      wait_ms = await this.#turn().catch(this.#failed);
      if (wait_ms === 0) this.#again = true;
    }
    this.#running = undefined;
    if (this.#stopped || wait_ms === undefined) return;
    this.#timer = setTimeout(() => this.wake(), Math.min(wait_ms, longest_ms)).unref();
  }
}
