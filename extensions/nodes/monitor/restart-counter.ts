/** Limit of restarts of an ended container within a period. */
const max_restarts = 3;
const period_ms = 600_000;

/** Counts restarts, so that a container that always ends is left alone. */
export class RestartCounter {
  readonly #starts = new Map<number, number[]>();

  /** Returns the number of restarts left. */
  left(id: number, now: number): number {
    return max_restarts - this.#recent(id, now).length;
  }

  /** Counts a restart, or a refused one. */
  count(id: number, now: number): void {
    this.#starts.set(id, [...this.#recent(id, now), now]);
  }

  /** Forgets all other nodes. */
  retain(ids: ReadonlySet<number>): void {
    for (const id of this.#starts.keys()) if (!ids.has(id)) this.#starts.delete(id);
  }

  #recent(id: number, now: number): number[] {
    return (this.#starts.get(id) ?? []).filter((at) => now - at < period_ms);
  }
}
