import type { Database } from '../../../kernel/contract/index.js';
import { insert, read, sweep } from './sql.js';

export interface StoredTicket {
  hash: string;
  member_id: number;
  /** The member's version when it was made. */
  version: number;
  /** What its maker had authenticated with. */
  token_id: string;
  /** JSON: `"all"` or a list. */
  scopes: string;
  /** The end of what its maker had authenticated with; null for none. */
  valid_until: string | null;
  expires_at: string;
}

export class TicketStore {
  readonly #db: Database;
  readonly #open;

  constructor(db: Database) {
    this.#db = db;
    this.#open = read<{ count: number }>(
      db,
      'SELECT CAST(COUNT(*) AS INTEGER) AS count FROM members_tickets WHERE member_id = $1 AND expires_at > $2',
    );
  }

  async insert(ticket: StoredTicket): Promise<void> {
    await insert(this.#db, 'members_tickets', ticket);
  }

  /** The tickets of a member that nobody has taken yet. */
  async open(member_id: number, now: string): Promise<number> {
    const [row] = await this.#open(member_id, now);
    return row?.count ?? 0;
  }

  /** Gives a ticket that holds, and takes it away: of several who ask at once one gets it. */
  async take(hash: string, now: string): Promise<StoredTicket | undefined> {
    const [ticket] = await this.#db.rows<StoredTicket>('DELETE FROM members_tickets WHERE hash = $1 AND expires_at > $2 RETURNING *', [
      hash,
      now,
    ]);
    return ticket;
  }

  async deleteOf(member_id: number, token_id?: string): Promise<void> {
    if (token_id === undefined) await this.#db.run('DELETE FROM members_tickets WHERE member_id = $1', [member_id]);
    else await this.#db.run('DELETE FROM members_tickets WHERE member_id = $1 AND token_id = $2', [member_id, token_id]);
  }

  sweep(now: string): Promise<number> {
    return sweep(this.#db, { table: 'members_tickets', key: 'hash', where: 'expires_at <= $1' }, now);
  }
}
