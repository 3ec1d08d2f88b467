export interface SourceParts {
  /** Sends an event and gives its length in bytes. */
  send(event: unknown): number;
  /** Resolves when there is room for more; undefined where there is. */
  room(): Promise<void> | undefined;
}

/**
 * Sends what an iterable gives, as far as its reader granted credit, and not before it asked for the first event. Room is looked for
 * with the event at hand: of all that wait for it only so many send as find some, and none writes its event out before.
 */
export class Source {
  readonly #iterator: AsyncIterator<unknown>;
  readonly #parts: SourceParts;
  #credit = 0;
  #left = false;
  #fault: Error | undefined;
  #wake: () => void = () => undefined;
  #returned: Promise<unknown> | undefined;

  constructor(events: AsyncIterable<unknown>, parts: SourceParts) {
    this.#iterator = events[Symbol.asyncIterator]();
    this.#parts = parts;
  }

  /** Ends with the iterable, or once the reader has left and the iterable is closed. Fails as the iterable does. */
  async run(): Promise<void> {
    while (await this.#granted()) {
      const step = await this.#iterator.next();
      if (step.done) break;
      for (let room = this.#parts.room(); room !== undefined && !this.#left; room = this.#parts.room()) await room;
      // In the same breath as the room was found: whoever was woken beside this one finds what is left of it.
      if (!this.#left) this.#sendOrClose(step.value);
    }
    await this.#returned;
    if (this.#fault) throw this.#fault;
  }

  grant(bytes: number): void {
    this.#credit += bytes;
    this.#wake();
  }

  /** Sends nothing more, closes the iterable and fails with this. */
  end(fault: Error): void {
    this.#fault = fault;
    this.leave();
  }

  /** The reader has gone: the iterable is told at once, though it may be waiting for its next event. */
  leave(): void {
    this.#left = true;
    this.#close();
    this.#wake();
  }

  async #granted(): Promise<boolean> {
    while (this.#credit <= 0 && !this.#left) await new Promise<void>((resolve) => (this.#wake = resolve));
    return !this.#left;
  }

  #sendOrClose(event: unknown): void {
    try {
      this.#credit -= this.#parts.send(event);
    } catch (fault) {
      // The fault is the event's (too long, no JSON): the iterable doesn't know that it has ended.
      this.#close();
      throw fault;
    }
  }

  #close(): void {
    this.#returned ??= Promise.resolve().then(() => this.#iterator.return?.());
    // `run` sees it, once the step that it waits for has come.
    this.#returned.catch(() => undefined);
  }
}
