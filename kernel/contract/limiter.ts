/** The share of a limit that a piece of work needs. */
export interface Share {
  /** How much of the limit it needs; all of it, if it needs more than there is. Default 1. */
  amount?: number;
  /** Ends the wait: the work doesn't start. */
  signal?: AbortSignal;
}

/** Releases a share, or all but `rest` of it. Nothing is released twice. */
export type Release = (rest?: number) => void;

interface Waiter {
  amount: number;
  start: () => void;
}

/**
 * Limits how much work runs at once, by its number or by what it needs, such as memory; the rest waits in order. It is our own because
 * p-limit and p-queue reject an aborted waiter only when its turn comes, and limit nothing but the number.
 */
export class Limiter {
  readonly #size: number;
  #free: number;
  readonly #waiting = new Set<Waiter>();

  constructor(size: number) {
    this.#size = size;
    this.#free = size;
  }

  get free(): number {
    return this.#free;
  }

  /** Number of waiting pieces of work. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Runs work in its turn; the work may release its share early. Fails as {@link acquire} and the work do. */
  async run<T>(work: (release: Release) => Promise<T>, share?: Share): Promise<T> {
    const release = await this.acquire(share);
    try {
      return await work(release);
    } finally {
      release();
    }
  }

  /** Runs work for each item. Fails with the first fault, while the rest continues. */
  async each<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
    await Promise.all(Array.from(items, (item) => this.run(() => work(item))));
  }

  /** Waits for a share. Fails with the signal's reason if that aborts first. */
  async acquire({ amount = 1, signal }: Share = {}): Promise<Release> {
    let held = Math.min(amount, this.#size);
    await this.#turn(held, signal);
    return (rest = 0) => {
      this.#free += Math.max(0, held - rest);
      held = Math.min(held, rest);
      this.#admit();
    };
  }

  async #turn(amount: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiter);
        reject(signal?.reason as Error);
        this.#admit();
      };
      const start = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const waiter = { amount, start };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.add(waiter);
      this.#admit();
    });
  }

  #admit(): void {
    for (const waiter of this.#waiting) {
      if (waiter.amount > this.#free) return;
      this.#waiting.delete(waiter);
      this.#free -= waiter.amount;
      waiter.start();
    }
  }
}

/** A limiter for each key, such as a node's id. */
export class KeyedLimiter<Key> {
  readonly #size: number;
  readonly #limiters = new Map<Key, Limiter>();

  constructor(size: number) {
    this.#size = size;
  }

  waiting(key: Key): number {
    return this.#limiters.get(key)?.waiting ?? 0;
  }

  async run<T>(key: Key, work: () => Promise<T>, share?: Share): Promise<T> {
    const limiter = this.#limiters.get(key) ?? new Limiter(this.#size);
    this.#limiters.set(key, limiter);
    try {
      return await limiter.run(work, share);
    } finally {
      if (limiter.free === this.#size) this.#limiters.delete(key);
    }
  }
}
