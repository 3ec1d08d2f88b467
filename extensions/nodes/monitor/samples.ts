import type Docker from 'dockerode';
import { LRUCache } from 'lru-cache';
import { type RawStats, type Sample, sampleOf } from './usage.js';

/** Samples stored for each container. */
const max_samples = 120;
/** Limit of containers, least recently used first out. */
const max_containers = 2_000;

/** Stores usage samples of containers in memory, in order of time; only those taken by this instance. */
export class Samples {
  readonly #now: () => number;
  readonly #samples = new LRUCache<string, Sample[]>({ max: max_containers });

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes and stores a sample; undefined if the container doesn't run. Engines older than API 1.41 need a second for it. */
  async take(docker: Docker, container_id: string, signal: AbortSignal): Promise<Sample | undefined> {
    const options = { stream: false, 'one-shot': true, abortSignal: signal } as const;
    const raw = await docker.getContainer(container_id).stats(options);
    const sample = sampleOf(raw as RawStats, this.#now());
    if (!sample) return undefined;
    const kept = this.#samples.get(container_id) ?? [];
    // Its counters were reset: it has restarted.
    const hasRestarted = (kept.at(-1)?.cpu ?? 0) > sample.cpu;
    this.#samples.set(container_id, [...(hasRestarted ? [] : kept.slice(1 - max_samples)), sample]);
    return sample;
  }

  /** Returns the samples, oldest first. */
  of(container_id: string): readonly Sample[] {
    return this.#samples.get(container_id) ?? [];
  }

  /** Forgets all other containers. */
  retain(container_ids: ReadonlySet<string>): void {
    for (const id of this.#samples.keys()) if (!container_ids.has(id)) this.#samples.delete(id);
  }
}
