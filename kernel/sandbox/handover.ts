/** Hands values over one by one: whoever gives one waits until it was taken. */
export class Handover<T> {
  #value: { value: T } | undefined;
  #isOver = false;
  #taken: () => void = () => undefined;
  #given: () => void = () => undefined;

  /** Resolves once the value was taken, or nobody takes any more. */
  async give(value: T): Promise<void> {
    if (this.#isOver) return;
    this.#value = { value };
    this.#given();
    await new Promise<void>((resolve) => {
      this.#taken = resolve;
    });
  }

  /** Nothing more is given, or taken. */
  end(): void {
    this.#isOver = true;
    this.#given();
    this.#taken();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      if (this.#value) {
        const { value } = this.#value;
        this.#value = undefined;
        yield value;
        this.#taken();
      } else if (this.#isOver) return;
      else await new Promise<void>((resolve) => (this.#given = resolve));
    }
  }
}
