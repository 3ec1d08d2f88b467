/** Limit of the bytes that a server may send for one request. */
const max_bytes = 16 * 1024 * 1024;

/** Limits the bytes that a server sends, so that none can exhaust the platform's memory. */
export class ReceiveBudget {
  #available = max_bytes;
  #open = 0;

  /** Runs a request. While it is open, it adds room for its own answer. */
  async during<T>(ask: () => Promise<T>): Promise<T> {
    this.#available = max_bytes + (this.#open === 0 ? 0 : this.#available);
    this.#open += 1;
    try {
      return await ask();
    } finally {
      this.#open -= 1;
      this.#available = Math.min(this.#available, max_bytes * Math.max(1, this.#open));
    }
  }

  /** Counts received bytes. Fails beyond the limit. */
  count(bytes: number): void {
    this.#available -= bytes;
    if (this.#available < 0) throw new Error(`it sent more than ${max_bytes} bytes for one request`);
  }
}
