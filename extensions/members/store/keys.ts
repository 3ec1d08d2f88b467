import type { Database } from '../../../kernel/contract/index.js';
import { insert, read } from './sql.js';

export interface StoredKey {
  kid: string;
  sealed: string;
  created_at: string;
  /** Null while it is the one that signs. */
  valid_until: string | null;
}

export class KeyStore {
  readonly #db: Database;
  readonly #all;

  constructor(db: Database) {
    this.#db = db;
    this.#all = read<StoredKey>(
      db,
      'SELECT kid, sealed, created_at, valid_until FROM members_keys WHERE valid_until IS NULL OR valid_until > $1',
    );
  }

  /** The keys with which a token that holds may be signed; the one that signs has no end. */
  async all(now: string): Promise<StoredKey[]> {
    return this.#all(now);
  }

  /** Makes a key the one that signs; those before it stay good for checking until `old_until`. */
  async replace(key: StoredKey, old_until: string): Promise<void> {
    await this.#db.run('UPDATE members_keys SET valid_until = $1 WHERE valid_until IS NULL', [old_until]);
    await insert(this.#db, 'members_keys', key);
  }

  sweep(now: string): Promise<number> {
    return this.#db.run('DELETE FROM members_keys WHERE valid_until <= $1', [now]);
  }
}
