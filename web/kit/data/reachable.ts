import { connection } from './connection.js';
import { isPassing } from './passing.js';

const first_wait_ms = 500;
const max_wait_ms = 10_000;

/** Repeats a call whose failure ends by itself, until it succeeds or fails for good. Only for calls that may be repeated. */
export async function whenReachable<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      await waitToRetry(attempt);
      signal.throwIfAborted();
    }
  }
}

/** Waits before another attempt, longer each time; less if the connection comes back. */
export function waitToRetry(attempt: number): Promise<void> {
  return new Promise((resolve) => {
    const { state } = connection().live;
    const end = () => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const timer = setTimeout(end, Math.min(first_wait_ms * 2 ** attempt, max_wait_ms));
    const stop = state.watch(() => state.get().state === 'live' && end());
  });
}
