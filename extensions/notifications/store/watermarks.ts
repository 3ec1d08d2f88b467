import { Op } from '../../../kernel/contract/index.js';
import type { Models } from '../models.js';

/** Limit of rows changed by one fold. */
const batch_size = 1_000;

/** Ids up to which members have read everything, until written to the notifications' rows. */
export class Watermarks {
  readonly #models: Models;

  constructor(models: Models) {
    this.#models = models;
  }

  async set(member_id: number, up_to: number, at: string): Promise<void> {
    await this.#models.watermarks.bulkCreate([{ member_id, up_to, at }], { ignoreDuplicates: true });
  }

  /** Returns a member that has one, with a read that doesn't wait for writers. */
  async nextMember(): Promise<number | undefined> {
    return (await this.#models.watermarks.findOne({ raw: true }))?.member_id;
  }

  /**
   * Writes a member's oldest one into some of its rows, and deletes it once it is in all of them. Oldest first: a row
   * counts as read when first marked. Requires the member's lock.
   */
  async fold(member_id: number): Promise<void> {
    const { watermarks, items } = this.#models;
    const oldest = await watermarks.findOne({ where: { member_id }, order: ['up_to'], raw: true });
    if (!oldest) return;
    const { up_to, at } = oldest;
    const unread = { member_id, state: ['pending', 'sent'], id: { [Op.lte]: up_to } };
    const rows = await items.findAll({ attributes: ['id'], where: unread, order: ['id'], limit: batch_size, raw: true });
    await items.update({ state: 'read', read_at: at }, { where: { id: rows.map(({ id }) => id) } });
    if (rows.length < batch_size) await watermarks.destroy({ where: { member_id, up_to } });
  }
}
