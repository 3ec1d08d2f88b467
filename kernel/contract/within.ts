/** Returns the result of `work`; if it takes longer than the limit, returns or throws what `late` does. The work isn't stopped. */
export async function within<T>(timeout_ms: number, work: Promise<T>, late: () => T): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<T>((resolve, reject) => {
    timer = setTimeout(() => {
      try {
        resolve(late());
      } catch (error) {
        reject(error);
      }
    }, timeout_ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns whether `work` ends within the limit. Fails as it does. */
export function endsWithin(limit_ms: number, work: Promise<unknown>): Promise<boolean> {
  return within(
    limit_ms,
    work.then(() => true),
    () => false,
  );
}

/** Settles as `work` does, or fails with the signal's reason as soon as that aborts, even if the work ignores it. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  signal.throwIfAborted();
  let leave = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    leave = () => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
