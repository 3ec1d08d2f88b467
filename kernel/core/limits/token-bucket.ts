/** Token bucket: admits `per_second` uses a second, with bursts of the same size. */
export class TokenBucket {
  readonly #per_second: number;
  #left: number;
  #at: number;

  constructor(per_second: number, now: number) {
    this.#per_second = per_second;
    this.#left = per_second;
    this.#at = now;
  }

  tryTake(now: number): boolean {
    const gained = (Math.max(0, now - this.#at) / 1_000) * this.#per_second;
    this.#left = Math.min(this.#per_second, this.#left + gained);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
