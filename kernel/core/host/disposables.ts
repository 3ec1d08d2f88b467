import type { Disposable } from '../../contract/extension.js';
import { within } from '../../contract/within.js';

/** The end of a host waits for its extensions: the longest that one thing takes. */
const usual_limit_ms = 30_000;

/** Releases what was acquired, last in first out, each awaited within a limit; a fault doesn't stop the rest. */
export class Disposables {
  readonly #limit_ms: number;
  readonly #items: Disposable[] = [];
  #disposed = false;

  /** @param limit_ms of each thing. */
  constructor(limit_ms = usual_limit_ms) {
    this.#limit_ms = limit_ms;
  }

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
        await within(this.#limit_ms, Promise.resolve(item.dispose()), () => {
          throw new Error(`Something was not released within ${this.#limit_ms / 1000} s`);
        });
      } catch (fault) {
        faults.push(fault);
      }
    }
    return faults;
  }
}
