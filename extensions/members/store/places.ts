import type { Database } from '../../../kernel/contract/index.js';
import { read } from './sql.js';

/** Addresses that are remembered of one member; the one that was used longest ago goes first. */
const perMember = 100;

/** The table `members_places`: from which addresses members logged in, and when last. */
export class PlaceStore {
  readonly #db: Database;
  readonly #find;

  constructor(db: Database) {
    this.#db = db;
    this.#find = read<{ used_at: string }>(db, 'SELECT used_at FROM members_places WHERE member_id = $1 AND address = $2 AND used_at > $3');
  }

  /** Whether the member logged in from the address since a time. */
  async has(member_id: number, address: string, since: string): Promise<boolean> {
    return (await this.#find(member_id, address, since)).length > 0;
  }

  async used(member_id: number, address: string, used_at: string): Promise<void> {
    await this.#db.run(
      `INSERT INTO members_places (member_id, address, used_at) VALUES ($1, $2, $3)
       ON CONFLICT (member_id, address) DO UPDATE SET used_at = excluded.used_at`,
      [member_id, address, used_at],
    );
    const surplus = `SELECT address FROM members_places WHERE member_id = $1 ORDER BY used_at DESC LIMIT ${perMember} OFFSET ${perMember}`;
    await this.#db.run(`DELETE FROM members_places WHERE member_id = $1 AND address IN (${surplus})`, [member_id]);
  }

  /** Addresses from which many members logged in since a time, with how many; at most 100. */
  async shared(since: string, min_members: number): Promise<{ address: string; members: number }[]> {
    return this.#db.rows<{ address: string; members: number }>(
      `SELECT address, CAST(COUNT(*) AS INTEGER) AS members FROM members_places WHERE used_at > $1
       GROUP BY address HAVING COUNT(*) >= $2 ORDER BY members DESC, address LIMIT 100`,
      [since, min_members],
    );
  }

  /** Removes what was used last before a time. */
  sweep(before: string): Promise<number> {
    return this.#db.run('DELETE FROM members_places WHERE used_at <= $1', [before]);
  }
}
