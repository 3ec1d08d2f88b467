import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * One for all: what follows asynchronous calls is copied to each promise and each callback, by Node 20 once for every
 * storage that there is.
 */
const storage = new AsyncLocalStorage<ReadonlyMap<object, unknown>>();

/** The values that are there now, for work that comes back from elsewhere; gives what runs it with them. */
export function kept(): <R>(work: () => R) => R {
  const values = storage.getStore();
  return (work) => storage.run(values as ReadonlyMap<object, unknown>, work);
}

/** A value that everything below a call finds, also what that awaits or leaves running. */
export class Ambient<T extends object> {
  /** Undefined where nothing above has given one. */
  current(): T | undefined {
    return storage.getStore()?.get(this) as T | undefined;
  }

  /** Does the work with this value. */
  run<R>(value: T, work: () => R): R {
    return storage.run(new Map(storage.getStore()).set(this, value), work);
  }

  /** Does the work without one; other values stay. */
  outside<R>(work: () => R): R {
    const values = storage.getStore();
    if (!values?.has(this)) return work();
    const rest = new Map(values);
    rest.delete(this);
    return storage.run(rest, work);
  }
}
