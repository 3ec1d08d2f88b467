/**
 * News of the browser: `online` and `offline` are its events, `visible` means that the page is shown again. They may be wrong, so they only
 * make connections check earlier.
 */
export type Hint = 'online' | 'offline' | 'visible';

/** Forwards hints to waits and open connections. */
export class Hints {
  readonly #listeners = new Set<(hint: Hint) => void>();

  give(hint: Hint): void {
    for (const listener of [...this.#listeners]) listener(hint);
  }

  listen(listener: (hint: Hint) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Waits. Ends early if the network may be back, or if a signal aborts. */
  wait(wait_ms: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        stop();
        for (const signal of signals) signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, wait_ms);
      const stop = this.listen((hint) => hint !== 'offline' && end());
      for (const signal of signals) signal?.addEventListener('abort', end, { once: true });
      if (signals.some((signal) => signal?.aborted)) end();
    });
  }
}
