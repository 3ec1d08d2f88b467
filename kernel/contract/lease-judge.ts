/** Between answers further apart than this the database may have been away. */
const max_pause_ms = 10_000;
/** The living renew their leases every 5 s or more often: in so long all of them can have done it. */
const patience_ms = 8_000;

/**
 * Says when lapsed leases may be taken for those of the dead. While a database is away nobody renews a lease, and once it is back all
 * have lapsed: whoever had no answer for a while, or has just begun to ask, judges nobody for 8 s.
 */
export class LeaseJudge {
  readonly #elapsed: () => number;
  /** Since when there were answers without a longer pause. */
  #since = 0;
  #last = Number.NEGATIVE_INFINITY;

  /** @param elapsed - in ms, from any moment on; unlike a clock it is set by nobody */
  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /** To be called at each answer to the question what has lapsed, every 5 s or more often: whether that may be taken for dead now. */
  answered(): boolean {
    const now = this.#elapsed();
    if (now - this.#last > max_pause_ms) this.#since = now;
    this.#last = now;
    return now - this.#since >= patience_ms;
  }
}
