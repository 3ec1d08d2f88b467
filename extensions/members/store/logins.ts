import { type Database, deletePortions, hotRead, Op } from '../../../kernel/contract/index.js';
import type { LoginRow, MemberRow, Models } from '../models.js';
import { loginHolder } from './credentials-sql.js';

/** Member behind a credential, reduced to what authentication needs. */
export type CredentialHolder = Pick<MemberRow, 'id' | 'username' | 'role' | 'version'>;

/** Limit of concurrent logins of one member; a further one ends the one idle longest. */
const max_logins = 1_000;

export class LoginStore {
  readonly #model: Models['logins'];
  readonly #holder;

  constructor(db: Database, model: Models['logins']) {
    this.#model = model;
    this.#holder = hotRead<CredentialHolder>(db, loginHolder);
  }

  async byId(id: string, now: string): Promise<LoginRow | undefined> {
    return (await this.#model.findOne({ where: { id, expires_at: { [Op.gt]: now } }, raw: true })) ?? undefined;
  }

  /** Locks a valid login until the end of the current transaction. */
  async lock(id: string, now: string): Promise<LoginRow | undefined> {
    return (await this.#model.findOne({ where: { id, expires_at: { [Op.gt]: now } }, lock: true, raw: true })) ?? undefined;
  }

  /** Returns the member of a valid login. */
  async holderOf(id: string, now: string): Promise<CredentialHolder | undefined> {
    return (await this.#holder(id, now))[0];
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

  async delete(id: string): Promise<boolean> {
    return (await this.#model.destroy({ where: { id } })) === 1;
  }

  async deleteOf(member_id: number): Promise<void> {
    await this.#model.destroy({ where: { member_id } });
  }

  sweep(now: string): Promise<number> {
    return deletePortions(this.#model, { expires_at: { [Op.lte]: now } });
  }
}
