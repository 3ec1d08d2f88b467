import { type Database, deletePortions, hotRead, Op } from '../../../kernel/contract/index.js';
import type { PersonalToken } from '../contract.js';
import type { Models, TokenRow } from '../models.js';
import { tokenHolder } from './credentials-sql.js';
import type { CredentialHolder } from './logins.js';

/** Personal token with its member. */
export type ValidToken = CredentialHolder & Pick<TokenRow, 'scopes' | 'expires_at' | 'last_used_at'> & { token_id: number };

export class TokenStore {
  readonly #model: Models['tokens'];
  readonly #valid;

  constructor(db: Database, model: Models['tokens']) {
    this.#model = model;
    this.#valid = hotRead<ValidToken>(db, tokenHolder, { model });
  }

  of(member_id: number): Promise<PersonalToken[]> {
    return this.#model.findAll({ attributes: { exclude: ['member_id', 'hash'] }, where: { member_id }, order: ['id'], raw: true });
  }

  /** Finds a valid token by its hash. */
  async valid(hash: string, now: string): Promise<ValidToken | undefined> {
    return (await this.#valid(hash, now))[0];
  }

  async insert(member_id: number, hash: string, token: Omit<PersonalToken, 'id'>): Promise<PersonalToken> {
    const { id } = await this.#model.create({ ...token, member_id, hash });
    return { id, ...token };
  }

  async setLastUsed(id: number, last_used_at: string): Promise<void> {
    await this.#model.update({ last_used_at }, { where: { id } });
  }

  async exists(id: number): Promise<boolean> {
    return (await this.existing([id])).has(id);
  }

  /** Returns those of the tokens that exist. */
  async existing(ids: readonly number[]): Promise<Set<number>> {
    const found = await this.#model.findAll({ attributes: ['id'], where: { id: [...ids] }, raw: true });
    return new Set(found.map(({ id }) => id));
  }

  async delete(id: number, member_id: number): Promise<boolean> {
    return (await this.#model.destroy({ where: { id, member_id } })) === 1;
  }

  async deleteOf(member_id: number): Promise<void> {
    await this.#model.destroy({ where: { member_id } });
  }

  /** Deletes tokens that expired before a time. */
  sweep(before: string): Promise<number> {
    return deletePortions(this.#model, { expires_at: { [Op.lte]: before } });
  }
}
