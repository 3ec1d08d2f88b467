import type { Database } from '../../../kernel/contract/index.js';
import type { TrustedKey } from '../signatures/contract.js';

interface Row {
  id: number;
  name: string;
  public_key: string;
  added_by_id: number;
  added_by_name: string;
  created_at: string;
}

const columns = 'id, name, public_key, added_by_id, added_by_name, created_at';

/** Table `marketplace_trusted_keys`. */
export class TrustedKeyStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async all(): Promise<TrustedKey[]> {
    const rows = await this.#db.rows<Row>(`SELECT ${columns} FROM marketplace_trusted_keys ORDER BY name, id`);
    return rows.map(toKey);
  }

  async has(public_key: string): Promise<boolean> {
    return (await this.find(public_key)) !== undefined;
  }

  async find(public_key: string): Promise<TrustedKey | undefined> {
    const [row] = await this.#db.rows<Row>(`SELECT ${columns} FROM marketplace_trusted_keys WHERE public_key = $1`, [public_key]);
    return row && toKey(row);
  }

  async count(): Promise<number> {
    const [row] = await this.#db.rows<{ count: number | string }>('SELECT COUNT(*) AS count FROM marketplace_trusted_keys');
    return Number(row?.count);
  }

  /** Undefined where it is there already. */
  async insert({ name, public_key, added_by, created_at }: Omit<TrustedKey, 'id'>): Promise<TrustedKey | undefined> {
    const [row] = await this.#db.rows<Row>(
      `INSERT INTO marketplace_trusted_keys (name, public_key, added_by_id, added_by_name, created_at)
       VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING ${columns}`,
      [name, public_key, added_by.member_id, added_by.username, created_at],
    );
    return row && toKey(row);
  }

  /** Whether it was there. */
  async delete(id: number): Promise<boolean> {
    return (await this.#db.run('DELETE FROM marketplace_trusted_keys WHERE id = $1', [id])) > 0;
  }
}

function toKey({ id, name, public_key, added_by_id, added_by_name, created_at }: Row): TrustedKey {
  return { id, name, public_key, added_by: { member_id: added_by_id, username: added_by_name }, created_at };
}
