import { useSyncExternalStore } from 'react';

/** A value that components and other code may watch. */
export class Value<T> {
  #value: T;
  readonly #watchers = new Set<() => void>();

  constructor(initial: T) {
    this.#value = initial;
  }

  readonly get = (): T => this.#value;

  /** Calls the watcher after each change; returns the function that ends this. */
  readonly watch = (changed: () => void): (() => void) => {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  };

  set(next: T): void {
    if (Object.is(next, this.#value)) return;
    this.#value = next;
    for (const changed of [...this.#watchers]) changed();
  }

  update(change: (before: T) => T): void {
    this.set(change(this.#value));
  }
}

/** Returns the value, and draws the component again when it changes. */
export function useValue<T>(value: Pick<Value<T>, 'get' | 'watch'>): T {
  return useSyncExternalStore(value.watch, value.get);
}
