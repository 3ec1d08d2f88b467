import { type Database, databaseNow } from '../../../kernel/contract/index.js';
import type { Models } from '../models.js';

/** Lease for the instance that watches the engines for all. Uses the database's time, so that clocks needn't agree. */
export class WatchLease {
  readonly #db: Database;
  readonly #model: Models['watch'];
  readonly #owner: string;
  readonly #lease_ms: number;

  /** @param options.lease_ms duration without renewal. Default 20 s. */
  constructor(db: Database, model: Models['watch'], { owner, lease_ms = 20_000 }: { owner: string; lease_ms?: number }) {
    this.#db = db;
    this.#model = model;
    this.#owner = owner;
    this.#lease_ms = lease_ms;
  }

  /** Acquires or renews the lease; returns whether this instance holds it. */
  async acquire(): Promise<boolean> {
    const now = databaseNow(this.#db);
    // Claims by the database's clock: if several ask at once, one gets it.
    const claim = `UPDATE nodes_watch SET owner = $1, lease_until = ${now} + ${this.#lease_ms}
      WHERE id = 1 AND (owner IS NULL OR owner = $1 OR lease_until <= ${now})`;
    return (await this.#db.run(claim, [this.#owner])) > 0;
  }

  /** Releases the lease, so that another instance can acquire it at once. */
  async release(): Promise<void> {
    await this.#model.update({ owner: null, lease_until: null }, { where: { id: 1, owner: this.#owner } });
  }
}
