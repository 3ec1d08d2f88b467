import type { TrafficFigures } from '../../contract/system.js';

/** The last minute is counted by its seconds. */
const seconds = 60;

/** Counts answers: a few additions for each, so that counting is free. */
export class Traffic {
  readonly #clock: { now(): number };
  readonly #started_ms: number;
  readonly #answered = new Uint32Array(seconds);
  readonly #failed = new Uint32Array(seconds);
  #second: number;
  #requests = 0;
  #errors = 0;

  /** `clock` counts milliseconds from whenever it likes, and never goes back. */
  constructor(clock: { now(): number } = performance) {
    this.#clock = clock;
    this.#started_ms = clock.now();
    this.#second = Math.floor(this.#started_ms / 1_000);
  }

  record(status: number): void {
    const slot = this.#turn() % seconds;
    this.#requests += 1;
    this.#answered[slot] = (this.#answered[slot] as number) + 1;
    if (status < 500) return;
    this.#errors += 1;
    this.#failed[slot] = (this.#failed[slot] as number) + 1;
  }

  figures(): TrafficFigures {
    const now = this.#clock.now();
    this.#turn();
    const watched_s = Math.min((now - this.#started_ms) / 1_000, seconds - 1 + (now % 1_000) / 1_000);
    return {
      requests: this.#requests,
      errors: this.#errors,
      requests_per_second: Math.round((sum(this.#answered) / Math.max(1, watched_s)) * 100) / 100,
      errors_per_minute: sum(this.#failed),
    };
  }

  /** Forgets the seconds that are a minute old; gives the one that it is now. */
  #turn(): number {
    const now = Math.floor(this.#clock.now() / 1_000);
    for (let second = Math.max(this.#second + 1, now - seconds + 1); second <= now; second++) {
      this.#answered[second % seconds] = 0;
      this.#failed[second % seconds] = 0;
    }
    this.#second = now;
    return now;
  }
}

function sum(counts: Uint32Array): number {
  return counts.reduce((total, count) => total + count, 0);
}
