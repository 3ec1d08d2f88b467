/** What a server may send for one question. */
const max_bytes = 16 * 1024 * 1024;

/** Counts what a server sends, so that none can drown the platform. */
export class Flow {
  #left = max_bytes;
  #open = 0;

  /** Asks; while it is open there is room for its answer, beside those of others. */
  async question<T>(ask: () => Promise<T>): Promise<T> {
    this.#left = max_bytes + (this.#open === 0 ? 0 : this.#left);
    this.#open += 1;
    try {
      return await ask();
    } finally {
      this.#open -= 1;
      this.#left = Math.min(this.#left, max_bytes * Math.max(1, this.#open));
    }
  }

  /** Fails where it is too much. */
  count(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new Error(`it sent more than ${max_bytes} bytes for one question`);
  }
}
