/** Longest pause between two answers. After a longer one the database may have been unreachable in between. */
const max_pause_ms = 10_000;
/** Time in which every living worker renews its leases at least once: they do so every 5 s. */
const patience_ms = 8_000;

/**
 * Decides when a lapsed lease means that its worker is dead. While a database is unreachable nobody can renew a lease, so all have lapsed when
 * it returns. Therefore no lease is judged until the database has answered for 8 s without a long pause.
 */
export class LeaseJudge {
  readonly #elapsed: () => number;
  /** Start of the current series of answers without a long pause. */
  #since = 0;
  #last = Number.NEGATIVE_INFINITY;

  /** @param elapsed monotonic time in ms, which unlike a clock can't be set */
  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /** Call it after each query for lapsed leases, at least every 5 s. Returns whether lapsed leases may be judged now. */
  answered(): boolean {
    const now = this.#elapsed();
    if (now - this.#last > max_pause_ms) this.#since = now;
    this.#last = now;
    return now - this.#since >= patience_ms;
  }
}
