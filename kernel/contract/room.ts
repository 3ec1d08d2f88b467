interface Waiter {
  amount: number;
  enter: () => void;
}

/** How much a piece of work needs, and until when it waits for it. */
export interface Needed {
  amount: number;
  signal: AbortSignal;
}

/** Holds back work that needs much of something (memory, say) while others have it; who waits comes in its order. */
export class Room {
  readonly #size: number;
  #free: number;
  readonly #waiting = new Set<Waiter>();

  /** @param size - how much all work together may have */
  constructor(size: number) {
    this.#size = size;
    this.#free = size;
  }

  /**
   * Does work once there is room for it; what needs more than there is has all of it. The work may tell that it needs less after all. Fails
   * as the work does, and with the signal's reason where that aborts before.
   */
  async within<T>({ amount, signal }: Needed, work: (shrink: (amount: number) => void) => Promise<T>): Promise<T> {
    let held = Math.min(amount, this.#size);
    await this.#enter(held, signal);
    const shrink = (rest: number) => {
      this.#free += Math.max(0, held - rest);
      held = Math.min(held, rest);
      this.#admit();
    };
    try {
      return await work(shrink);
    } finally {
      shrink(0);
    }
  }

  async #enter(amount: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiter);
        reject(signal.reason as Error);
        this.#admit();
      };
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const waiter = { amount, enter };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(waiter);
      this.#admit();
    });
  }

  #admit(): void {
    for (const waiter of this.#waiting) {
      if (waiter.amount > this.#free) return;
      this.#waiting.delete(waiter);
      this.#free -= waiter.amount;
      waiter.enter();
    }
  }
}
