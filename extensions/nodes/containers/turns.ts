/** Lets so many do something at once; the others wait in the order in which they came. */
export class Turns {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** How many could begin now. */
  get free(): number {
    return this.#free;
  }

  /** Fails with the signal's reason where that aborts before its turn has come. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(enter);
        reject(signal.reason);
      };
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.add(enter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #next(): void {
    const [enter] = this.#waiting;
    if (!enter) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(enter);
    enter();
  }
}
