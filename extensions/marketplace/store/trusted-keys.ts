import type { Models, TrustedKeyRow } from '../models.js';
import type { TrustedKey } from '../signatures/contract.js';

export class TrustedKeyStore {
  readonly #model: Models['trustedKeys'];

  constructor(model: Models['trustedKeys']) {
    this.#model = model;
  }

  async all(): Promise<TrustedKey[]> {
    return (await this.#model.findAll({ order: ['name', 'id'], raw: true })).map(toKey);
  }

  async has(public_key: string): Promise<boolean> {
    return (await this.find(public_key)) !== undefined;
  }

  async find(public_key: string): Promise<TrustedKey | undefined> {
    const row = await this.#model.findOne({ where: { public_key }, raw: true });
    return row ? toKey(row) : undefined;
  }

  count(): Promise<number> {
    return this.#model.count();
  }

  /** Inserts a key. Fails with a unique violation if it exists. */
  async insert({ name, public_key, added_by, created_at }: Omit<TrustedKey, 'id'>): Promise<TrustedKey> {
    const row = { name, public_key, added_by_id: added_by.member_id, added_by_name: added_by.username, created_at };
    const { id } = await this.#model.create(row);
    return toKey({ ...row, id });
  }

  /** Deletes a key; returns whether it existed. */
  async delete(id: number): Promise<boolean> {
    return (await this.#model.destroy({ where: { id } })) > 0;
  }
}

function toKey({ id, name, public_key, added_by_id, added_by_name, created_at }: TrustedKeyRow): TrustedKey {
  return { id, name, public_key, added_by: { member_id: added_by_id, username: added_by_name }, created_at };
}
