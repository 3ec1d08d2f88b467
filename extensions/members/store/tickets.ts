import { type Database, deletePortions, Op } from '../../../kernel/contract/index.js';
import type { Models, TicketRow } from '../models.js';
import { takeTicket } from './credentials-sql.js';

export class TicketStore {
  readonly #db: Database;
  readonly #model: Models['tickets'];

  constructor(db: Database, model: Models['tickets']) {
    this.#db = db;
    this.#model = model;
  }

  async insert(ticket: TicketRow): Promise<void> {
    await this.#model.create(ticket);
  }

  /** Counts a member's unused tickets. */
  countUnused(member_id: number, now: string): Promise<number> {
    return this.#model.count({ where: { member_id, expires_at: { [Op.gt]: now } } });
  }

  /** Takes a valid ticket: if several ask at once, one gets it. */
  async redeem(hash: string, now: string): Promise<TicketRow | undefined> {
    const [ticket] = await this.#db.rows<TicketRow>(takeTicket, [hash, now], { model: this.#model });
    return ticket;
  }

  /** Deletes a member's tickets, or those created with some of its tokens. */
  async deleteOf(member_id: number, token_ids?: readonly string[]): Promise<void> {
    await this.#model.destroy({ where: { member_id, ...(token_ids && { token_id: [...token_ids] }) } });
  }

  sweep(now: string): Promise<number> {
    return deletePortions(this.#model, { expires_at: { [Op.lte]: now } });
  }
}
