/**
 * Gives work a signal that aborts as the outer one does, until the work has ended. Whoever listens to it for ever, as the SDK's client
 * does, neither keeps the outer signal's listeners nor cancels what has succeeded.
 */
export async function whileRunning<T>(outer: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  outer.throwIfAborted();
  const running = new AbortController();
  const abort = () => running.abort(outer.reason);
  outer.addEventListener('abort', abort, { once: true });
  try {
    return await work(running.signal);
  } finally {
    outer.removeEventListener('abort', abort);
  }
}
