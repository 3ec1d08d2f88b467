/** Gives keys on one by one: what the first one changes is drawn before the next one counts. */
export class KeyQueue {
  readonly #press: (key: string) => void;
  readonly #keys: string[] = [];
  #isRunning = false;

  constructor(press: (key: string) => void) {
    this.#press = press;
  }

  add(keys: readonly string[]): void {
    this.#keys.push(...keys);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#next();
  }

  #next(): void {
    const key = this.#keys.shift();
    if (key === undefined) {
      this.#isRunning = false;
      return;
    }
    this.#press(key);
    // React draws what has changed in the turn after the next.
    setImmediate(() => setImmediate(() => this.#next()));
  }
}
