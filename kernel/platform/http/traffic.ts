import type { TrafficFigures } from '../../contract/system.js';

/** Number of one-second slots in the window. */
const seconds = 60;

/** Counts responses with a few additions each. */
export class Traffic {
  readonly #clock: { now(): number };
  readonly #started_ms: number;
  readonly #answered = new Uint32Array(seconds);
  readonly #failed = new Uint32Array(seconds);
  #second: number;
  #requests = 0;
  #errors = 0;

  /** @param clock a monotonic clock in milliseconds. */
  constructor(clock: { now(): number } = performance) {
    this.#clock = clock;
    this.#started_ms = clock.now();
    this.#second = Math.floor(this.#started_ms / 1_000);
  }

  record(status: number): void {
    const slot = this.#advance() % seconds;
    this.#requests += 1;
    this.#answered[slot] = (this.#answered[slot] as number) + 1;
    if (status < 500) return;
    this.#errors += 1;
    this.#failed[slot] = (this.#failed[slot] as number) + 1;
  }

  figures(): TrafficFigures {
    const now = this.#clock.now();
    this.#advance();
    const watched_s = Math.min((now - this.#started_ms) / 1_000, seconds - 1 + (now % 1_000) / 1_000);
    return {
      requests: this.#requests,
      errors: this.#errors,
      requests_per_second: Math.round((sum(this.#answered) / Math.max(1, watched_s)) * 100) / 100,
      errors_per_minute: sum(this.#failed),
    };
  }

  /** Clears slots older than a minute; returns the current second. */
  #advance(): number {
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
