import type { Disposable } from '../contract/extension.js';

/** Releases what was acquired, last in first out, each awaited; a fault doesn't stop the rest. */
export class Disposables {
  #items: Disposable[] = [];
  #disposed = false;

  own<T extends Disposable>(item: T): T {
    if (this.#disposed) throw new Error('Something was acquired after its owner had been released');
    this.#items.push(item);
    return item;
  }

  /** Releases all and gives the faults that occurred. A second call has nothing left to do. */
  async dispose(): Promise<unknown[]> {
    this.#disposed = true;
    const faults: unknown[] = [];
    for (let item = this.#items.pop(); item; item = this.#items.pop()) {
      try {
        await item.dispose();
      } catch (fault) {
        faults.push(fault);
      }
    }
    return faults;
  }
}
