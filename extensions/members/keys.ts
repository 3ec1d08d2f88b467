import { randomBytes } from 'node:crypto';
import { type Clock, Op, type Secrets } from '../../kernel/contract/index.js';
import { newId } from './opaque.js';
import type { Store } from './store.js';
import { isoAfter } from './timestamp.js';

export interface SigningKey {
  kid: string;
  key: Buffer;
}

/** Extra retention of an old key, because other instances may lag behind. */
const grace_ms = 300_000;

/**
 * Manages the keys that sign access tokens, stored in the database and sealed with the platform's master key. One key
 * signs; earlier ones still verify until their last token has expired.
 */
export class SigningKeys {
  readonly #store: Store;
  readonly #secrets: Secrets;
  readonly #clock: Clock;
  readonly #access_ttl_s: number;
  #opened: ReadonlyMap<string, Buffer> = new Map();

  constructor(options: { store: Store; secrets: Secrets; clock: Clock; access_ttl_s: number }) {
    this.#store = options.store;
    this.#secrets = options.secrets;
    this.#clock = options.clock;
    this.#access_ttl_s = options.access_ttl_s;
  }

  /** Creates the first key if there is none, and verifies that existing ones can be opened. */
  async prepare(): Promise<void> {
    if ((await this.#load()) !== undefined) return;
    await this.#store.exclusive('keys', async () => {
      if ((await this.#load()) === undefined) await this.#replace();
    });
    await this.#load();
  }

  /** Returns the current signing key; read each time, so that a rotation on another instance applies at once. */
  async signing(): Promise<SigningKey> {
    const key = await this.#load();
    if (!key) throw new Error('members_keys has no signing key');
    return key;
  }

  /** Finds a key by id; one just created by another instance is looked up. */
  async find(kid: string): Promise<Buffer | undefined> {
    if (!this.#opened.has(kid)) await this.#load();
    return this.#opened.get(kid);
  }

  /** Replaces the signing key. Tokens signed with the old one stay valid until they expire. */
  async rotate(): Promise<{ kid: string; created_at: string }> {
    return this.#store.exclusive('keys', () => this.#replace());
  }

  sweep(): Promise<number> {
    return this.#store.keys.destroy({ where: { valid_until: { [Op.lte]: this.#clock.iso() } } });
  }

  async #replace(): Promise<{ kid: string; created_at: string }> {
    const created = { kid: newId(), created_at: this.#clock.iso() };
    const old_until = isoAfter(this.#clock.now(), this.#access_ttl_s * 1000 + grace_ms);
    await this.#store.keys.update({ valid_until: old_until }, { where: { valid_until: null } });
    await this.#store.keys.create({ ...created, sealed: this.#secrets.seal(randomBytes(32)), valid_until: null });
    return created;
  }

  /** Reads the keys; returns the signing one. */
  async #load(): Promise<SigningKey | undefined> {
    const where = { valid_until: { [Op.or]: [null, { [Op.gt]: this.#clock.iso() }] } };
    const rows = await this.#store.keys.findAll({ where, raw: true });
    this.#opened = new Map(rows.map(({ kid, sealed }) => [kid, this.#opened.get(kid) ?? this.#secrets.open(sealed)]));
    const kid = rows.find((row) => row.valid_until === null)?.kid;
    const key = kid === undefined ? undefined : this.#opened.get(kid);
    return kid === undefined || key === undefined ? undefined : { kid, key };
  }
}
