const longest_ms = 60_000;

/** Knows whether an input method is composing a text: replacing the field then would lose it. */
export class Composition {
  #isComposing = false;
  #waiting: (() => void)[] = [];

  constructor() {
    document.addEventListener('compositionstart', () => (this.#isComposing = true));
    document.addEventListener('compositionend', () => {
      this.#isComposing = false;
      // The field gets the text with the event that follows this one.
      setTimeout(() => this.#go(), 0);
    });
  }

  /** Resolves when nothing is being composed. */
  async end(): Promise<void> {
    while (this.#isComposing) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        // A field that is removed while it composes may never say that it ended.
        setTimeout(resolve, longest_ms);
      });
      if (!(document.activeElement instanceof HTMLElement) || document.activeElement === document.body) this.#isComposing = false;
    }
  }

  #go(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
