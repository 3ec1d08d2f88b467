import { type Database, deletePortions, hotRead, Op } from '../../../kernel/contract/index.js';
import type { LoginRow, MemberRow, Models } from '../models.js';
import { loginHolder } from './credentials-sql.js';

/** Member behind a credential, reduced to what authentication needs. */
export type CredentialHolder = Pick<MemberRow, 'id' | 'username' | 'role' | 'version'>;

/** Member of a login, with the time of its last recorded use. */
export type LoginHolder = CredentialHolder & Pick<LoginRow, 'used_at'>;

const listed = ['id', 'kind', 'agent', 'address', 'created_at', 'used_at'] as const;

/** Login as its member sees it. */
export type ListedLogin = Pick<LoginRow, (typeof listed)[number]>;

/** Limit of concurrent logins of one member; a further one ends the one idle longest. */
const max_logins = 1_000;

export class LoginStore {
  readonly #model: Models['logins'];
  readonly #holder;

  constructor(db: Database, model: Models['logins']) {
    this.#model = model;
    this.#holder = hotRead<LoginHolder>(db, loginHolder);
  }

  async byId(id: string, now: string): Promise<LoginRow | undefined> {
    return (await this.#model.findOne({ where: { id, expires_at: { [Op.gt]: now } }, raw: true })) ?? undefined;
  }

  /** Locks a valid login until the end of the current transaction. */
  async lock(id: string, now: string): Promise<LoginRow | undefined> {
    return (await this.#model.findOne({ where: { id, expires_at: { [Op.gt]: now } }, lock: true, raw: true })) ?? undefined;
  }

  /** Returns the member of a valid login. */
  async holderOf(id: string, now: string): Promise<LoginHolder | undefined> {
    return (await this.#holder(id, now))[0];
  }

  /** Lists a member's valid logins, the latest use first. */
  of(member_id: number, now: string): Promise<ListedLogin[]> {
    const where = { member_id, expires_at: { [Op.gt]: now } };
    return this.#model.findAll({ attributes: [...listed], where, order: [['used_at', 'DESC'], 'id'], raw: true });
  }

  /** Records a use, unless a later one is recorded. */
  async recordUse(id: string, { used_at, address }: Pick<LoginRow, 'used_at' | 'address'>): Promise<void> {
    await this.#model.update({ used_at, address }, { where: { id, used_at: { [Op.lt]: used_at } } });
  }

  /** Returns those of the logins that are valid. */
  async valid(ids: readonly string[], now: string): Promise<Set<string>> {
    const where = { id: [...ids], expires_at: { [Op.gt]: now } };
    return new Set((await this.#model.findAll({ attributes: ['id'], where, raw: true })).map(({ id }) => id));
  }

  async insert(login: LoginRow): Promise<void> {
    await this.#model.create(login);
    const { member_id } = login;
    const surplus = { where: { member_id }, order: [['used_at', 'DESC'] as [string, string]], limit: max_logins, offset: max_logins };
    const ended = await this.#model.findAll({ attributes: ['id'], ...surplus, raw: true });
    if (ended.length > 0) await this.#model.destroy({ where: { id: ended.map(({ id }) => id) } });
  }

  async update(id: string, columns: Partial<LoginRow>): Promise<void> {
    await this.#model.update(columns, { where: { id } });
  }

  /** Deletes those of the logins that belong to the member; returns their number. */
  delete(member_id: number, ids: readonly string[]): Promise<number> {
    return this.#model.destroy({ where: { member_id, id: [...ids] } });
  }

  async deleteOf(member_id: number): Promise<void> {
    await this.#model.destroy({ where: { member_id } });
  }

  sweep(now: string): Promise<number> {
    return deletePortions(this.#model, { expires_at: { [Op.lte]: now } });
  }
}
