/** The same, given up with the signal's reason when that aborts; what goes on then is nobody's concern. */
export async function waited<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  work.catch(() => {});
  signal.throwIfAborted();
  let giveUp = (): void => {};
  const given = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([work, given]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
