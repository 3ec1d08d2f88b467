import { type Database, Op } from '../../../kernel/contract/index.js';
import type { Models } from '../models.js';
import type { Chosen, ChosenChannel } from '../preferences/chosen.js';
import { lockMembers } from './members-sql.js';

/** A number of tries that are let through in a window of time. */
export interface Allowance {
  max: number;
  window_ms: number;
}

/** What each member has chosen, and locks on members: who changes what belongs to a member holds the member. */
export class MemberRows {
  readonly #db: Database;
  readonly #models: Models;

  constructor(db: Database, models: Models) {
    this.#db = db;
    this.#models = models;
  }

  /** Runs `work` in a transaction while nobody else changes what is the member's; gives it what the member has chosen. */
  async hold<T>(member_id: number, work: (chosen: Chosen) => Promise<T>): Promise<T> {
    return this.#db.transaction(async () => work((await this.holdAll([member_id])).get(member_id) ?? new Map()));
  }

  /** Holds several until the transaction that runs here has ended, in the order of their ids. */
  async holdAll(ids: readonly number[]): Promise<ReadonlyMap<number, Chosen>> {
    const sorted = [...new Set(ids)].sort((one, other) => one - other);
    if (sorted.length === 0) return new Map();
    const rows = await lockMembers(this.#db, this.#models.members, sorted);
    return new Map(rows.map(({ member_id, channels }) => [member_id, chosenOf(channels)]));
  }

  async chosen(member_id: number): Promise<Chosen> {
    const row = await this.#models.members.findByPk(member_id, { raw: true });
    return row ? chosenOf(row.channels) : new Map();
  }

  /** Hold the member. */
  async choose(member_id: number, chosen: Chosen): Promise<void> {
    await this.#models.members.update({ channels: Object.fromEntries(chosen) }, { where: { member_id } });
  }

  /** Counts one more test; if there were enough, gives in how many ms it may be tried again. Hold the member. */
  async countTest(member_id: number, now: number, { max, window_ms }: Allowance): Promise<number | undefined> {
    const row = await this.#models.members.findByPk(member_id, { raw: true });
    const { tests, tests_since } = row ?? { tests: 0, tests_since: 0 };
    const isOver = now - tests_since >= window_ms;
    if (row && !isOver && tests >= max) return tests_since + window_ms - now;
    const counted = isOver ? { tests: 1, tests_since: now } : { tests: tests + 1 };
    await this.#models.members.update(counted, { where: { member_id } });
    return undefined;
  }

  /** Members after `id` who have rows here, at most 500. */
  async after(id: number): Promise<number[]> {
    const where = { member_id: { [Op.gt]: id } };
    const rows = await this.#models.members.findAll({ attributes: ['member_id'], where, order: ['member_id'], limit: 500, raw: true });
    return rows.map(({ member_id }) => member_id);
  }

  /** Removes all that is a member's. */
  async forget(member_id: number): Promise<void> {
    const { members, deliveries, watermarks, items } = this.#models;
    await members.destroy({ where: { member_id } });
    await deliveries.destroy({ where: { member_id } });
    await watermarks.destroy({ where: { member_id } });
    await items.destroy({ where: { member_id } });
  }
}

function chosenOf(channels: Record<string, ChosenChannel>): Chosen {
  return new Map(Object.entries(channels));
}
