/** How often a container that ended is started again within a while. */
const max = 3;
const within_ms = 600_000;

/** Counts how often containers were started again, so that one that always ends is left alone. */
export class Revivals {
  readonly #starts = new Map<number, number[]>();

  /** How often it may still be started. */
  left(id: number, now: number): number {
    return max - this.#recent(id, now).length;
  }

  /** It was started, or its engine refused to. */
  count(id: number, now: number): void {
    this.#starts.set(id, [...this.#recent(id, now), now]);
  }

  /** Nothing is kept of others. */
  keep(ids: ReadonlySet<number>): void {
    for (const id of this.#starts.keys()) if (!ids.has(id)) this.#starts.delete(id);
  }

  #recent(id: number, now: number): number[] {
    return (this.#starts.get(id) ?? []).filter((at) => now - at < within_ms);
  }
}
