/** Limit of the bytes that a server may send for one request. */
const max_bytes = 16 * 1024 * 1024;

/**
 * Limits the bytes that a server sends, so that none can exhaust the platform's memory. On one connection, answers of concurrent requests
 * can't be told apart, so the limit holds for all of them together.
 */
export class ReceiveBudget {
  #available = max_bytes;
  #open = 0;

  /** Sends a request. Until it is answered, the budget is larger by the limit for one answer. */
  async during<T>(request: () => Promise<T>): Promise<T> {
    this.#available = max_bytes + (this.#open === 0 ? 0 : this.#available);
    this.#open += 1;
    try {
      return await request();
    } finally {
      this.#open -= 1;
      this.#available = Math.min(this.#available, max_bytes * Math.max(1, this.#open));
    }
  }

  /** Subtracts received bytes. Fails if the budget is exceeded. */
  count(bytes: number): void {
    this.#available -= bytes;
    if (this.#available < 0) throw new Error(`it sent more than ${max_bytes} bytes for one request`);
  }
}
