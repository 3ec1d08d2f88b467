/** It is made when what has just taken one is done. */
const rest_ms = 1;

/** Keeps one thing made ahead, for whoever can't wait until it is made. */
export class Spare<T> {
  readonly #make: () => Promise<T>;
  #made: Promise<T> | undefined;
  #soon: NodeJS.Timeout | undefined;

  constructor(make: () => Promise<T>) {
    this.#make = make;
  }

  /** The one that was made ahead, or one that is made now. */
  take(): Promise<T> {
    const made = this.#made ?? this.#make();
    this.#made = undefined;
    return made;
  }

  /** Makes the next one soon, where there is none. */
  refill(): void {
    if (this.#made) return;
    this.#soon ??= setTimeout(() => this.#fill(), rest_ms).unref();
  }

  /** Makes no more ahead, and gives the one that there is. */
  close(): Promise<T> | undefined {
    clearTimeout(this.#soon);
    const made = this.#made;
    this.#made = undefined;
    return made;
  }

  #fill(): void {
    this.#soon = undefined;
    const made = this.#make();
    this.#made = made;
    // Whoever takes next tries anew, and hears why.
    made.catch(() => {
      if (this.#made === made) this.#made = undefined;
    });
  }
}
