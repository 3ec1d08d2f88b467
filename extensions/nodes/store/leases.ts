import type { Database } from '../../../kernel/contract/index.js';
import { databaseTime } from './database-time.js';

/** What is left to be done in the engine: to be made, made where the engine gave no answer, or removed. */
const unfinished = "(status IN ('creating', 'removing') OR (status = 'offline' AND container_id IS NULL))";

/**
 * Who works on a node, so that of several instances one does, and a dead one's work is taken over. In the
 * database's own time, so that instances' clocks needn't agree.
 */
export class Leases {
  readonly #db: Database;
  readonly #now: string;
  /** How long one holds without being renewed. */
  readonly lease_ms: number;

  constructor(db: Database, lease_ms = 20_000) {
    this.#db = db;
    this.lease_ms = lease_ms;
    this.#now = databaseTime(db);
  }

  /** Takes one that nobody holds; gives whether it is held now. */
  async claim(id: number, owner: string): Promise<boolean> {
    return this.#set(`owner = $2, lease_until = ${this.#now} + ${this.lease_ms}`, `(owner IS NULL OR lease_until <= ${this.#now})`, [
      id,
      owner,
    ]);
  }

  /** Renews it; false where it was lost, or the node is not in that status any more. */
  async hold(id: number, owner: string, status: readonly string[]): Promise<boolean> {
    const list = status.map((_one, index) => `$${index + 3}`).join(', ');
    const held = `owner = $2 AND status IN (${list})`;
    return this.#set(`lease_until = ${this.#now} + ${this.lease_ms}`, held, [id, owner, ...status]);
  }

  /** Lets go. Where it is to be tried again it is due after `again_ms`. */
  async release(id: number, owner: string, again_ms = 0): Promise<void> {
    await this.#set(`owner = NULL, lease_until = ${this.#now} + ${Math.round(again_ms)}`, 'owner = $2', [id, owner]);
  }

  /** The nodes of which something is left to do and that nobody does, the longest waiting first. */
  async due(limit: number): Promise<number[]> {
    const rows = await this.#db.rows<{ id: number }>(
      `SELECT id FROM nodes_nodes WHERE ${unfinished} AND (lease_until IS NULL OR lease_until <= ${this.#now})
       ORDER BY COALESCE(lease_until, 0), id LIMIT $1`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Frees what processes but this hold, for where only one can have the database: they are dead. */
  async freeOthers(instance: string): Promise<void> {
    await this.#db.run('UPDATE nodes_nodes SET owner = NULL, lease_until = NULL WHERE owner IS NOT NULL AND substr(owner, 1, $1) <> $2', [
      instance.length,
      instance,
    ]);
  }

  async #set(assignments: string, where: string, values: readonly (string | number)[]): Promise<boolean> {
    return (await this.#db.run(`UPDATE nodes_nodes SET ${assignments} WHERE id = $1 AND ${where}`, values)) > 0;
  }
}
