/** Looks further apart than this have a time between them in which the database may have been away. */
const longest_pause_ms = 10_000;
/** The living renew their leases every 5 s or more often: in so long all who can have done it. */
const patience_ms = 8_000;

/**
 * Says when lapsed leases may be taken for those of the dead. While a database is away nobody renews a lease, and once it is back all
 * have lapsed: whoever finds that it did not answer for a while, or has just begun to ask, judges nobody for 8 s.
 */
export class LeaseJudge {
  readonly #elapsed: () => number;
  /** Since when it has answered without a longer pause. */
  #since = 0;
  #last = Number.NEGATIVE_INFINITY;

  /** @param elapsed - in ms, from any moment on; not set by anybody, as a clock is */
  constructor(elapsed: () => number = () => performance.now()) {
    this.#elapsed = elapsed;
  }

  /**
   * What a look at the database finds lapsed; nothing while nobody may be judged. To be asked at least every 5 s.
   *
   * @param look - its faults are the caller's
   */
  async lapsed<Found>(look: () => Promise<readonly Found[]>): Promise<readonly Found[]> {
    const found = await look();
    const now = this.#elapsed();
    if (now - this.#last > longest_pause_ms) this.#since = now;
    this.#last = now;
    return now - this.#since < patience_ms ? [] : found;
  }
}
