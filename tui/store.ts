/** One value that is drawn anew when it changes. */
export class Store<T> {
  readonly #heard = new Set<() => void>();
  #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  get = (): T => this.#value;

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const heard of this.#heard) heard();
  }

  subscribe = (heard: () => void): (() => void) => {
    this.#heard.add(heard);
    return () => this.#heard.delete(heard);
  };
}
