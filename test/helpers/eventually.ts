import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';

/** Waits until `value` gives what `accept` takes, and gives it; fails after the limit with the last value. */
export async function until<T>(value: () => T | Promise<T>, accept: (value: T) => boolean, limit_ms = 30_000): Promise<T> {
  const end = Date.now() + limit_ms;
  for (;;) {
    const found = await value();
    if (accept(found)) return found;
    if (Date.now() > end) throw new Error(`After ${limit_ms / 1000} s it still was ${JSON.stringify(found)?.slice(0, 500)}`);
    await pause(10);
  }
}

/** Passes as soon as `value` gives `wanted`; fails with what it gave last. */
export async function becomes<T>(t: Test, value: () => T | Promise<T>, wanted: T, limit_ms?: number): Promise<void> {
  const text = JSON.stringify(wanted);
  const found = await until(value, (each) => JSON.stringify(each) === text, limit_ms).catch(value);
  t.same(found, wanted);
}
