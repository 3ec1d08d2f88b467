import { type Database, deletePortions, hotRead, Op } from '../../../kernel/contract/index.js';
import type { PersonalToken } from '../contract.js';
import type { Models, TokenRow } from '../models.js';
import { tokenHolder } from './credentials-sql.js';
import type { CredentialHolder } from './logins.js';

/** Personal token with its member. */
export type ValidToken = CredentialHolder & Pick<TokenRow, 'scopes' | 'expires_at' | 'last_used_at'> & { token_id: number };

const listed = ['id', 'kind', 'name', 'address', 'created_at', 'last_used_at'] as const;

/** Valid personal token among a member's sessions. */
export type ListedToken = Pick<TokenRow, (typeof listed)[number]>;

export class TokenStore {
  readonly #model: Models['tokens'];
  readonly #valid;

  constructor(db: Database, model: Models['tokens']) {
    this.#model = model;
    this.#valid = hotRead<ValidToken>(db, tokenHolder, { model });
  }

  of(member_id: number): Promise<PersonalToken[]> {
    const attributes = ['id', 'name', 'scopes', 'created_at', 'expires_at', 'last_used_at'];
    return this.#model.findAll({ attributes, where: { member_id }, order: ['id'], raw: true });
  }

  /** Lists a member's tokens that have not expired. */
  validOf(member_id: number, now: string): Promise<ListedToken[]> {
    const where = { member_id, expires_at: { [Op.or]: [null, { [Op.gt]: now }] } };
    return this.#model.findAll({ attributes: [...listed], where, order: ['id'], raw: true });
  }

  /** Finds a valid token by its hash. */
  async valid(hash: string, now: string): Promise<ValidToken | undefined> {
    return (await this.#valid(hash, now))[0];
  }

  async insert(
    owner: Pick<TokenRow, 'member_id' | 'hash'> & Partial<Pick<TokenRow, 'kind' | 'address'>>,
    token: Omit<PersonalToken, 'id'>,
  ): Promise<PersonalToken> {
    const { id } = await this.#model.create({ ...token, ...owner });
    return { id, ...token };
  }

  async recordUse(id: number, use: Pick<TokenRow, 'last_used_at' | 'address'>): Promise<void> {
    await this.#model.update(use, { where: { id } });
  }

  async exists(id: number): Promise<boolean> {
    return (await this.existing([id])).has(id);
  }

  /** Returns those of the tokens that exist. */
  async existing(ids: readonly number[]): Promise<Set<number>> {
    const found = await this.#model.findAll({ attributes: ['id'], where: { id: [...ids] }, raw: true });
    return new Set(found.map(({ id }) => id));
  }

  /** Deletes those of the tokens that belong to the member; returns their number. */
  delete(member_id: number, ids: readonly number[]): Promise<number> {
    return this.#model.destroy({ where: { member_id, id: [...ids] } });
  }

  async deleteOf(member_id: number): Promise<void> {
    await this.#model.destroy({ where: { member_id } });
  }

  /** Deletes tokens that expired before a time. */
  sweep(before: string): Promise<number> {
    return deletePortions(this.#model, { expires_at: { [Op.lte]: before } });
  }
}
