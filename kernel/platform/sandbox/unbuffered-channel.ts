/** Passes values from one sender to one reader, one at a time: the sender waits until the reader asks for the next one. */
export class UnbufferedChannel<T> {
  #value: { value: T } | undefined;
  #isClosed = false;
  #resolveSend: () => void = () => undefined;
  #resolveReceive: () => void = () => undefined;

  /** Resolves once the reader has processed the value, or the channel is closed. */
  async send(value: T): Promise<void> {
    if (this.#isClosed) return;
    this.#value = { value };
    this.#resolveReceive();
    await new Promise<void>((resolve) => {
      this.#resolveSend = resolve;
    });
  }

  /** Releases both sides. */
  close(): void {
    this.#isClosed = true;
    this.#resolveReceive();
    this.#resolveSend();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      if (this.#value) {
        const { value } = this.#value;
        this.#value = undefined;
        yield value;
        this.#resolveSend();
      } else if (this.#isClosed) return;
      else await new Promise<void>((resolve) => (this.#resolveReceive = resolve));
    }
  }
}
