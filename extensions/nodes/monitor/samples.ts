import type Docker from 'dockerode';
import { LRUCache } from 'lru-cache';
import { type RawStats, type Sample, sampleOf } from './usage.js';

/** How many are kept of a container. */
const max_samples = 120;
/** Of how many containers, those that were looked at last. */
const max_containers = 2_000;

/** What containers used, in the order of time; in memory, of those that this instance has looked at. */
export class Samples {
  readonly #now: () => number;
  readonly #kept = new LRUCache<string, Sample[]>({ max: max_containers });

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Looks once and keeps what it saw; undefined where the container doesn't run. Engines older than API 1.41 take a
   * second for it.
   */
  async take(docker: Docker, container_id: string, signal: AbortSignal): Promise<Sample | undefined> {
    const options = { stream: false, 'one-shot': true, abortSignal: signal } as const;
    const raw = await docker.getContainer(container_id).stats(options);
    const sample = sampleOf(raw as RawStats, this.#now());
    if (!sample) return undefined;
    const kept = this.#kept.get(container_id) ?? [];
    // Its counters have begun anew: it was started since.
    const begun = (kept.at(-1)?.cpu ?? 0) > sample.cpu;
    this.#kept.set(container_id, [...(begun ? [] : kept.slice(1 - max_samples)), sample]);
    return sample;
  }

  /** The oldest first. */
  of(container_id: string): readonly Sample[] {
    return this.#kept.get(container_id) ?? [];
  }

  /** Nothing is kept of others. */
  keep(container_ids: ReadonlySet<string>): void {
    for (const id of this.#kept.keys()) if (!container_ids.has(id)) this.#kept.delete(id);
  }
}
