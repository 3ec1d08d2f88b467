import { percentile } from '../bench/statistics.js';

type Kind = 'reads' | 'writes';

/** How long answers took, in milliseconds, window by window. */
export class Latencies {
  readonly #windows: Record<Kind, number[]>[] = [{ reads: [], writes: [] }];

  add(kind: Kind, ms: number): void {
    this.#windows.at(-1)?.[kind].push(ms);
  }

  /** Starts another window. */
  turn(): void {
    this.#windows.push({ reads: [], writes: [] });
  }

  /** Returns the p99 of each window that has samples. */
  p99(kind: Kind): number[] {
    return this.#windows.filter((window) => window[kind].length > 0).map((window) => percentile(window[kind], 0.99));
  }
}
