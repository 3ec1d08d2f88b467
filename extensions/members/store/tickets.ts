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

  /** Counts the tickets of a member that nobody has taken yet. */
  open(member_id: number, now: string): Promise<number> {
    return this.#model.count({ where: { member_id, expires_at: { [Op.gt]: now } } });
  }

  /** Gives a ticket that holds, and takes it away: of several who ask at once one gets it. */
  async take(hash: string, now: string): Promise<TicketRow | undefined> {
    const [ticket] = await this.#db.rows<TicketRow>(takeTicket, [hash, now], { model: this.#model });
    return ticket;
  }

  /** Deletes the tickets of a member, or those that were made with one of its tokens. */
  async deleteOf(member_id: number, token_id?: string): Promise<void> {
    await this.#model.destroy({ where: { member_id, ...(token_id !== undefined && { token_id }) } });
  }

  sweep(now: string): Promise<number> {
    return deletePortions(this.#model, { expires_at: { [Op.lte]: now } });
  }
}
