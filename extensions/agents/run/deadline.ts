/** Settles as `work` does, or fails with the signal's reason as soon as it aborts. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  signal.throwIfAborted();
  let give_up: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    give_up = () => reject(signal.reason as Error);
    signal.addEventListener('abort', give_up, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (give_up) signal.removeEventListener('abort', give_up);
  }
}

/** Whether `work` ends within the limit; fails as it does, and as soon as the signal aborts. */
export async function endsWithin(work: Promise<unknown>, limit_ms: number, signal: AbortSignal): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limit_ms);
  });
  try {
    return await untilAborted(Promise.race([work.then(() => true), late]), signal);
  } finally {
    clearTimeout(timer);
  }
}
