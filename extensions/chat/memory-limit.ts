import { Limiter } from '../../kernel/contract/index.js';

/** Limits the bytes that work of one kind has in memory at once; the rest waits. */
export class MemoryLimit {
  readonly #limiter: Limiter;
  readonly #wait_ms: number;
  readonly #busy: () => Error;

  /** `busy` returns the failure of work that waited too long. */
  constructor({ max_bytes, wait_ms, busy }: { max_bytes: number; wait_ms: number; busy: () => Error }) {
    this.#limiter = new Limiter(max_bytes);
    this.#wait_ms = wait_ms;
    this.#busy = busy;
  }

  /** Runs work that needs `amount` bytes. Its signal aborts when the time for the wait and the work is up, which fails as `busy` says. */
  async run<T>(amount: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(this.#wait_ms);
    try {
      return await this.#limiter.run(() => work(signal), { amount, signal });
    } catch (fault) {
      throw fault === signal.reason ? this.#busy() : fault;
    }
  }
}
