import type { Disposable } from '../../contract/extension.js';
import { within } from '../../contract/within.js';

/** Default time limit for releasing one resource. */
const default_limit_ms = 30_000;

/** Collects acquired resources and releases them, the last one first, each within a time limit. A fault doesn't stop the rest. */
export class Disposables {
  readonly #limit_ms: number;
  readonly #items: Disposable[] = [];
  #disposed = false;

  /** @param limit_ms Time limit for releasing one resource. */
  constructor(limit_ms = default_limit_ms) {
    this.#limit_ms = limit_ms;
  }

  /** Adds a resource, and returns it. Fails after {@link dispose}, because nothing would release it any more. */
  own<T extends Disposable>(item: T): T {
    if (this.#disposed) throw new Error('Something was acquired after its owner had been released');
    this.#items.push(item);
    return item;
  }

  /** Releases every resource once and returns the faults. */
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
