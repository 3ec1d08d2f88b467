import { Op } from '../../../kernel/contract/index.js';
import type { Models } from '../models.js';

/** Limits the rows that one fold changes. */
const portion = 1_000;

/** The ids up to which members have read all, until the rows of the notifications say so themselves. */
export class Watermarks {
  readonly #models: Models;

  constructor(models: Models) {
    this.#models = models;
  }

  async set(member_id: number, up_to: number, at: string): Promise<void> {
    await this.#models.watermarks.bulkCreate([{ member_id, up_to, at }], { ignoreDuplicates: true });
  }

  /** Gives some member that has one, by a read that does not wait among the writes. */
  async next(): Promise<number | undefined> {
    return (await this.#models.watermarks.findOne({ raw: true }))?.member_id;
  }

  /**
   * Writes a member's oldest one into some of its rows, and removes it once it is in all of them. The oldest first: a row
   * was read when it was first marked. Hold the member.
   */
  async fold(member_id: number): Promise<void> {
    const { watermarks, items } = this.#models;
    const oldest = await watermarks.findOne({ where: { member_id }, order: ['up_to'], raw: true });
    if (!oldest) return;
    const { up_to, at } = oldest;
    const unread = { member_id, state: ['pending', 'sent'], id: { [Op.lte]: up_to } };
    const rows = await items.findAll({ attributes: ['id'], where: unread, order: ['id'], limit: portion, raw: true });
    await items.update({ state: 'read', read_at: at }, { where: { id: rows.map(({ id }) => id) } });
    if (rows.length < portion) await watermarks.destroy({ where: { member_id, up_to } });
  }
}
