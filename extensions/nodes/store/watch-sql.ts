import { type Database, databaseNow } from '../../../kernel/contract/index.js';

/** Which instance watches the engines for all of them. In the database's own time, so that their clocks needn't agree. */
export class Watch {
  readonly #db: Database;
  readonly #owner: string;
  readonly #lease_ms: number;

  /** @param lease_ms how long it holds without being renewed. */
  constructor(db: Database, owner: string, lease_ms = 20_000) {
    this.#db = db;
    this.#owner = owner;
    this.#lease_ms = lease_ms;
  }

  /** Takes or renews it; gives whether it is this instance's now. */
  async hold(): Promise<boolean> {
    const now = databaseNow(this.#db);
    // A claim by the database's clock: of several that ask at once one gets it.
    const claim = `UPDATE nodes_watch SET owner = $1, lease_until = ${now} + ${this.#lease_ms}
      WHERE id = 1 AND (owner IS NULL OR owner = $1 OR lease_until <= ${now})`;
    return (await this.#db.run(claim, [this.#owner])) > 0;
  }

  /** Lets another have it at once: the end of a claim. */
  async release(): Promise<void> {
    await this.#db.run('UPDATE nodes_watch SET owner = NULL, lease_until = NULL WHERE id = 1 AND owner = $1', [this.#owner]);
  }
}
