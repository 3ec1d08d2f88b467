import type { Database, Role } from '../../../kernel/contract/index.js';
import { insert, placeholders, read, sweep } from './sql.js';

/** One login and its present refresh token. */
export interface StoredLogin {
  id: string;
  member_id: number;
  refresh_hash: string;
  /** Marks all its refresh tokens, so that a spent one is known by itself; it opens nothing. */
  mark_key: string;
  /** How often it was refreshed. */
  rotation: number;
  address: string;
  agent: string;
  created_at: string;
  used_at: string;
  expires_at: string;
}

/** The member behind a credential, as far as authentication needs it. */
export interface Holder {
  id: number;
  username: string;
  role: Role;
  version: number;
}

/** Logins of one member at a time; a further one ends the one that was idle longest. */
const perMember = 1_000;

export class LoginStore {
  readonly #db: Database;
  readonly #byId;
  readonly #holder;

  constructor(db: Database) {
    this.#db = db;
    this.#byId = read<StoredLogin>(db, 'SELECT * FROM members_logins WHERE id = $1 AND expires_at > $2');
    this.#holder = read<Holder>(
      db,
      `SELECT m.id, m.username, m.role, m.version FROM members_logins l JOIN members_members m ON m.id = l.member_id
       WHERE l.id = $1 AND l.expires_at > $2`,
    );
  }

  async byId(id: string, now: string): Promise<StoredLogin | undefined> {
    const [row] = await this.#byId(id, now);
    return row;
  }

  /** The member of a login that holds. */
  async holder(id: string, now: string): Promise<Holder | undefined> {
    const [row] = await this.#holder(id, now);
    return row;
  }

  /** Of logins, those that hold. */
  async holding(ids: readonly string[], now: string): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const sql = `SELECT id FROM members_logins WHERE expires_at > $1 AND id IN (${placeholders(ids.length, 2)})`;
    return new Set((await this.#db.rows<{ id: string }>(sql, [now, ...ids])).map(({ id }) => id));
  }

  async insert(login: StoredLogin): Promise<void> {
    await insert(this.#db, 'members_logins', login);
    const surplus = `SELECT id FROM members_logins WHERE member_id = $1 ORDER BY used_at DESC LIMIT ${perMember} OFFSET ${perMember}`;
    await this.#db.run(`DELETE FROM members_logins WHERE id IN (${surplus})`, [login.member_id]);
  }

  /** Puts a new refresh token in the place of the old one; false where the old one is not the present one. */
  async rotate(old: StoredLogin, next: Pick<StoredLogin, 'refresh_hash' | 'used_at' | 'expires_at'>): Promise<boolean> {
    const { refresh_hash, used_at, expires_at } = next;
    const sql = `UPDATE members_logins SET rotation = rotation + 1, refresh_hash = $3, used_at = $4, expires_at = $5
                 WHERE id = $1 AND refresh_hash = $2`;
    return (await this.#db.run(sql, [old.id, old.refresh_hash, refresh_hash, used_at, expires_at])) === 1;
  }

  async delete(id: string): Promise<boolean> {
    return (await this.#db.run('DELETE FROM members_logins WHERE id = $1', [id])) === 1;
  }

  async deleteOf(member_id: number): Promise<void> {
    await this.#db.run('DELETE FROM members_logins WHERE member_id = $1', [member_id]);
  }

  sweep(now: string): Promise<number> {
    return sweep(this.#db, { table: 'members_logins', key: 'id', where: 'expires_at <= $1' }, now);
  }
}
