import { type Database, deletePortions, Op } from '../../../kernel/contract/index.js';
import type { InvitationRow, Models } from '../models.js';
import { takeInvitation } from './credentials-sql.js';

/** Invitation without what proves it. */
export type StoredInvitation = Omit<InvitationRow, 'token_hash'>;

const withoutHash = { attributes: { exclude: ['token_hash'] }, raw: true };

export class InvitationStore {
  readonly #db: Database;
  readonly #model: Models['invitations'];

  constructor(db: Database, model: Models['invitations']) {
    this.#db = db;
    this.#model = model;
  }

  /** Lists valid invitations, the latest first. */
  valid(now: string): Promise<StoredInvitation[]> {
    return this.#model.findAll({ ...withoutHash, where: { expires_at: { [Op.gt]: now } }, order: [['id', 'DESC']] });
  }

  count(now: string): Promise<number> {
    return this.#model.count({ where: { expires_at: { [Op.gt]: now } } });
  }

  async byId(id: number, now: string): Promise<StoredInvitation | undefined> {
    return (await this.#model.findOne({ ...withoutHash, where: { id, expires_at: { [Op.gt]: now } } })) ?? undefined;
  }

  async byHash(token_hash: string, now: string): Promise<StoredInvitation | undefined> {
    return (await this.#model.findOne({ ...withoutHash, where: { token_hash, expires_at: { [Op.gt]: now } } })) ?? undefined;
  }

  async insert(row: Omit<InvitationRow, 'id'>): Promise<number> {
    return (await this.#model.create(row)).id;
  }

  /** Takes a valid invitation: if several ask at once, one gets it. */
  async take(token_hash: string, now: string): Promise<StoredInvitation | undefined> {
    const [found] = await this.#db.rows<InvitationRow>(takeInvitation, [token_hash, now], { model: this.#model });
    return found;
  }

  /** Deletes an invitation; returns whether there was one. */
  async delete(id: number): Promise<boolean> {
    return (await this.#model.destroy({ where: { id } })) === 1;
  }

  /** Deletes the invitations that a member created. */
  async deleteOf(invited_by: number): Promise<void> {
    await this.#model.destroy({ where: { invited_by } });
  }

  sweep(now: string): Promise<number> {
    return deletePortions(this.#model, { expires_at: { [Op.lte]: now } });
  }
}
