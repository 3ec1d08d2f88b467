import type { Database, Scope } from '../../../kernel/contract/index.js';
import type { PersonalToken } from '../contract.js';
import type { Holder } from './logins.js';
import { insertNumbered, placeholders, read, sweep } from './sql.js';

interface Columns extends Omit<PersonalToken, 'scopes'> {
  member_id: number;
  hash: string;
  scopes: string;
}

/** A personal token and whose it is. */
export interface HeldToken extends Holder {
  token_id: number;
  scopes: Scope[];
  expires_at: string | null;
  last_used_at: string | null;
}

export class TokenStore {
  readonly #db: Database;
  readonly #of;
  readonly #held;

  constructor(db: Database) {
    this.#db = db;
    this.#of = read<Columns>(db, 'SELECT * FROM members_tokens WHERE member_id = $1 ORDER BY id');
    this.#held = read<Omit<HeldToken, 'scopes'> & { scopes: string }>(
      db,
      `SELECT t.id AS token_id, t.scopes, t.expires_at, t.last_used_at, m.id, m.username, m.role, m.version
       FROM members_tokens t JOIN members_members m ON m.id = t.member_id
       WHERE t.hash = $1 AND (t.expires_at IS NULL OR t.expires_at > $2)`,
    );
  }

  async of(member_id: number): Promise<PersonalToken[]> {
    return (await this.#of(member_id)).map(record);
  }

  /** The token that holds, by its hash. */
  async held(hash: string, now: string): Promise<HeldToken | undefined> {
    const [row] = await this.#held(hash, now);
    return row && { ...row, scopes: JSON.parse(row.scopes) as Scope[] };
  }

  async insert(member_id: number, hash: string, token: Omit<PersonalToken, 'id'>): Promise<PersonalToken> {
    const row = { ...token, scopes: JSON.stringify(token.scopes), member_id, hash };
    const id = await insertNumbered(this.#db, 'members_tokens', row);
    return { id, ...token };
  }

  async used(id: number, at: string): Promise<void> {
    await this.#db.run('UPDATE members_tokens SET last_used_at = $2 WHERE id = $1', [id, at]);
  }

  async exists(id: number): Promise<boolean> {
    return (await this.#db.rows('SELECT id FROM members_tokens WHERE id = $1', [id])).length === 1;
  }

  /** Of tokens, those that there are. */
  async existing(ids: readonly number[]): Promise<Set<number>> {
    if (ids.length === 0) return new Set();
    const sql = `SELECT id FROM members_tokens WHERE id IN (${placeholders(ids.length)})`;
    return new Set((await this.#db.rows<{ id: number }>(sql, ids)).map(({ id }) => id));
  }

  async delete(id: number, member_id: number): Promise<boolean> {
    return (await this.#db.run('DELETE FROM members_tokens WHERE id = $1 AND member_id = $2', [id, member_id])) === 1;
  }

  async deleteOf(member_id: number): Promise<void> {
    await this.#db.run('DELETE FROM members_tokens WHERE member_id = $1', [member_id]);
  }

  /** Removes what ended before a time. */
  sweep(before: string): Promise<number> {
    return sweep(this.#db, { table: 'members_tokens', key: 'id', where: 'expires_at <= $1' }, before);
  }
}

function record({ id, name, scopes, created_at, expires_at, last_used_at }: Columns): PersonalToken {
  return { id, name, scopes: JSON.parse(scopes) as Scope[], created_at, expires_at, last_used_at };
}
