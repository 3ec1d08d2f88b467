import type { Database } from '../../../kernel/contract/index.js';

/** Which instance watches the engines for all of them. In the database's own time, so that their clocks needn't agree. */
export class Watch {
  readonly #db: Database;
  readonly #owner: string;
  readonly #until: string;
  readonly #now: string;

  /** @param lease_ms how long it holds without being renewed. */
  constructor(db: Database, owner: string, lease_ms = 20_000) {
    this.#db = db;
    this.#owner = owner;
    this.#now =
      db.dialect === 'postgres'
        ? '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
        : "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";
    this.#until = `${this.#now} + ${lease_ms}`;
  }

  /** Takes or renews it; gives whether it is this instance's now. */
  async hold(): Promise<boolean> {
    const free = `(owner IS NULL OR owner = $1 OR lease_until <= ${this.#now})`;
    return (
      (await this.#db.run(`UPDATE nodes_watch SET owner = $1, lease_until = ${this.#until} WHERE id = 1 AND ${free}`, [this.#owner])) > 0
    );
  }

  /** Lets another have it at once. */
  async release(): Promise<void> {
    await this.#db.run('UPDATE nodes_watch SET owner = NULL, lease_until = NULL WHERE id = 1 AND owner = $1', [this.#owner]);
  }
}
