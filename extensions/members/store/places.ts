import { type Database, Op } from '../../../kernel/contract/index.js';
import type { Models } from '../models.js';

/** Limit of addresses stored for one member; the least recently used is dropped first. */
const max_places = 100;

export class PlaceStore {
  readonly #db: Database;
  readonly #model: Models['places'];

  constructor(db: Database, model: Models['places']) {
    this.#db = db;
    this.#model = model;
  }

  /** Returns whether the member logged in from the address since a time. */
  async has(member_id: number, address: string, since: string): Promise<boolean> {
    return (await this.#model.count({ where: { member_id, address, used_at: { [Op.gt]: since } } })) > 0;
  }

  async recordUse(member_id: number, address: string, used_at: string): Promise<void> {
    await this.#model.upsert({ member_id, address, used_at });
    const surplus = { where: { member_id }, order: [['used_at', 'DESC'] as [string, string]], limit: max_places, offset: max_places };
    const surplusRows = await this.#model.findAll({ attributes: ['address'], ...surplus, raw: true });
    if (surplusRows.length > 0) await this.#model.destroy({ where: { member_id, address: surplusRows.map((place) => place.address) } });
  }

  /** Lists addresses from which many members logged in since a time; at most 100. */
  async shared(since: string, min_members: number): Promise<{ address: string; members: number }[]> {
    const { fn, col, where } = this.#db.expressions;
    const members = fn('count', col('member_id'));
    const found: object[] = await this.#model.findAll({
      attributes: ['address', [members, 'members']],
      where: { used_at: { [Op.gt]: since } },
      group: ['address'],
      having: where(members, Op.gte, min_members),
      order: [[members, 'DESC'], 'address'],
      limit: 100,
      raw: true,
    });
    return found as { address: string; members: number }[];
  }

  /** Deletes addresses last used before a time. */
  sweep(before: string): Promise<number> {
    return this.#model.destroy({ where: { used_at: { [Op.lte]: before } } });
  }
}
