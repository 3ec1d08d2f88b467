export interface SourceParts {
  /** Sends an event; returns its length in bytes. */
  send(event: unknown): number;
  /** Resolves when there is room for more; undefined if there is room now. */
  room(): Promise<void> | undefined;
}

/**
 * Sends the events of an iterable, within the reader's credit, and not before it asks for the first one. Waits for room with the
 * event at hand: of all waiting sources only those that find room send, and none serialises its event earlier.
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

  /** Runs until the iterable ends, or the reader has left and the iterable is closed. Rejects with the iterable's error. */
  async run(): Promise<void> {
    while (await this.#granted()) {
      const step = await this.#iterator.next();
      if (step.done) break;
      for (let room = this.#parts.room(); room !== undefined && !this.#left; room = this.#parts.room()) await room;
      // Synchronous with the check for room: other sources woken at the same time see the remaining room.
      if (!this.#left) this.#sendOrClose(step.value);
    }
    await this.#returned;
    if (this.#fault) throw this.#fault;
  }

  grant(bytes: number): void {
    this.#credit += bytes;
    this.#wake();
  }

  /** Stops sending, closes the iterable, and fails with an error. */
  end(fault: Error): void {
    this.#fault = fault;
    this.leave();
  }

  /** Handles a reader that has left: closes the iterable at once, even if it waits for its next event. */
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
      // The event was invalid (too long, no JSON), so the iterable must be closed explicitly.
      this.#close();
      throw fault;
    }
  }

  #close(): void {
    this.#returned ??= Promise.resolve().then(() => this.#iterator.return?.());
    // `run` awaits it after the current step.
    this.#returned.catch(() => undefined);
  }
}
