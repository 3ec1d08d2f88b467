import { type Database, deletePortions, Op } from '../../../kernel/contract/index.js';
import type { Models, ResetRow } from '../models.js';
import { takeReset } from './credentials-sql.js';

export class ResetStore {
  readonly #db: Database;
  readonly #model: Models['resets'];

  constructor(db: Database, model: Models['resets']) {
    this.#db = db;
    this.#model = model;
  }

  async insert(row: ResetRow): Promise<void> {
    await this.#model.create(row);
  }

  /** Counts a member's valid links. */
  countOf(member_id: number, now: string): Promise<number> {
    return this.#model.count({ where: { member_id, expires_at: { [Op.gt]: now } } });
  }

  async byHash(token_hash: string, now: string): Promise<ResetRow | undefined> {
    return (await this.#model.findOne({ where: { token_hash, expires_at: { [Op.gt]: now } }, raw: true })) ?? undefined;
  }

  /** Takes a valid link: if several use it at once, one gets it. */
  async take(token_hash: string, now: string): Promise<ResetRow | undefined> {
    const [found] = await this.#db.rows<ResetRow>(takeReset, [token_hash, now], { model: this.#model });
    return found;
  }

  async deleteOf(member_id: number): Promise<void> {
    await this.#model.destroy({ where: { member_id } });
  }

  sweep(now: string): Promise<number> {
    return deletePortions(this.#model, { expires_at: { [Op.lte]: now } });
  }
}
