/**
 * Calls the function with true while this tab is the only one of the browser that has the name, and returns the function that gives it up.
 * Without locks, as on plain http, each tab takes itself for the only one.
 */
export function holdAlone(name: string, changed: (isAlone: boolean) => void): () => void {
  const end = new AbortController();
  const held = new Promise<void>((resolve) => {
    end.signal.addEventListener('abort', () => resolve());
  });
  if (!('locks' in navigator)) changed(true);
  else
    navigator.locks
      .request(name, { signal: end.signal }, () => {
        changed(true);
        return held;
      })
      .catch(() => changed(!end.signal.aborted));
  return () => end.abort();
}

/** Marks something as in sight in this tab, until the returned function is called. */
export function markInSight(name: string): () => void {
  if (!('locks' in navigator)) return () => undefined;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  navigator.locks.request(name, { mode: 'shared' }, () => held).catch(() => undefined);
  return release;
}

/** Returns whether a tab of this browser has something in sight. */
export async function isInSight(name: string): Promise<boolean> {
  if (!('locks' in navigator)) return false;
  const { held = [] } = await navigator.locks.query().catch(() => ({ held: [] }));
  return held.some((lock) => lock.name === name);
}
