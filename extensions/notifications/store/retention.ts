import type { Order, WhereOptions } from 'sequelize';
import { type Database, Op } from '../../../kernel/contract/index.js';
import type { ItemRow, Models } from '../models.js';

/** Number of notifications deleted at a time, so that other writers aren't blocked. */
const batch_size = 500;

/** Deletes what is too old or too much; each call deletes a few rows and returns the number of notifications. */
export class Retention {
  readonly #db: Database;
  readonly #models: Models;

  constructor(db: Database, models: Models) {
    this.#db = db;
    this.#models = models;
  }

  deleteReadBefore(time: string): Promise<number> {
    return this.#remove({ state: 'read', read_at: { [Op.lt]: time } }, ['read_at']);
  }

  deleteUnreadBefore(time: string): Promise<number> {
    return this.#remove({ state: { [Op.ne]: 'read' }, created_at: { [Op.lt]: time } }, ['created_at']);
  }

  /** Deletes the oldest ones of a member above its limit. */
  async countSurplus({ member_id, surplus }: Surplus): Promise<number> {
    return this.#remove({ member_id }, ['id'], Math.min(batch_size, surplus));
  }

  /** Returns members with more than `max`, and how many more. */
  async surplus(max: number): Promise<Surplus[]> {
    const { fn, col, where } = this.#db.expressions;
    const total = fn('count', col('id'));
    const rows: object[] = await this.#models.items.findAll({
      attributes: ['member_id', [total, 'total']],
      group: ['member_id'],
      having: where(total, Op.gt, max),
      raw: true,
    });
    return (rows as { member_id: number; total: number }[]).map((row) => ({ member_id: row.member_id, surplus: row.total - max }));
  }

  #remove(where: WhereOptions<ItemRow>, order: Order, limit = batch_size): Promise<number> {
    const { items, deliveries } = this.#models;
    return this.#db.transaction(async () => {
      const rows = await items.findAll({ attributes: ['id'], where, order, limit, lock: true, raw: true });
      if (rows.length === 0) return 0;
      const ids = rows.map(({ id }) => id);
      await deliveries.destroy({ where: { notification_id: ids } });
      return items.destroy({ where: { id: ids } });
    });
  }
}

export interface Surplus {
  member_id: number;
  surplus: number;
}
