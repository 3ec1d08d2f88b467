/** How often a container that ended is started again within a while. */
const most = 3;
const within_ms = 600_000;

/** Counts how often containers were started again, so that one that always ends is left alone. */
export class Revivals {
  readonly #starts = new Map<number, number[]>();

  /** Whether this one may be started once more; counts it where it may. */
  take(id: number, now: number): boolean {
    const recent = (this.#starts.get(id) ?? []).filter((at) => now - at < within_ms);
    if (recent.length >= most) return false;
    this.#starts.set(id, [...recent, now]);
    return true;
  }

  /** Nothing is kept of others. */
  keep(ids: ReadonlySet<number>): void {
    for (const id of this.#starts.keys()) if (!ids.has(id)) this.#starts.delete(id);
  }
}
