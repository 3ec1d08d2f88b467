/** Passes values from one sender to one reader, one at a time: the sender waits until the reader asks for the next one. */
export class UnbufferedChannel<T> {
  #value: { value: T } | undefined;
  #isClosed = false;
  #taken: () => void = () => undefined;
  #sent: () => void = () => undefined;

  /** Resolves once the reader has processed the value, or the channel is closed. */
  async send(value: T): Promise<void> {
    if (this.#isClosed) return;
    this.#value = { value };
    this.#sent();
    await new Promise<void>((resolve) => {
      this.#taken = resolve;
    });
  }

  /** Releases both sides. */
  close(): void {
    this.#isClosed = true;
    this.#sent();
    this.#taken();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      if (this.#value) {
        const { value } = this.#value;
        this.#value = undefined;
        yield value;
        this.#taken();
      } else if (this.#isClosed) return;
      else await new Promise<void>((resolve) => (this.#sent = resolve));
    }
  }
}
