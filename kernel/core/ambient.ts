import { AsyncLocalStorage } from 'node:async_hooks';

/** The only storage of this kind: Node 20 copies each `AsyncLocalStorage` to every promise and callback, so several would cost more. */
const storage = new AsyncLocalStorage<ReadonlyMap<object, unknown>>();

/** Captures the current values. Returns a function that runs work with them later, for callbacks that lose their context. */
export function captureContext(): <R>(work: () => R) => R {
  const values = storage.getStore();
  return (work) => storage.run(values as ReadonlyMap<object, unknown>, work);
}

/** A value that is visible to everything a call runs, including what it awaits or leaves running. */
export class Ambient<T extends object> {
  /** Returns the value of the nearest `run`; undefined outside of any. */
  current(): T | undefined {
    return storage.getStore()?.get(this) as T | undefined;
  }

  /** Runs the work with this value. */
  run<R>(value: T, work: () => R): R {
    return storage.run(new Map(storage.getStore()).set(this, value), work);
  }

  /** Runs the work without this value; values of other `Ambient`s stay. */
  outside<R>(work: () => R): R {
    const values = storage.getStore();
    if (!values?.has(this)) return work();
    const rest = new Map(values);
    rest.delete(this);
    return storage.run(rest, work);
  }
}
