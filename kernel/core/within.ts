/** What `work` gives, or what `late` gives (or throws) if it takes longer. */
export async function within<T>(timeout_ms: number, work: Promise<T>, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
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

/** Whether `work` ended within the limit. */
export function endsWithin(limit_ms: number, work: Promise<unknown>): Promise<boolean> {
  return within(
    limit_ms,
    work.then(() => true),
    () => false,
  );
}
