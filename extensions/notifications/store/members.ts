import { type Database, Op } from '../../../kernel/contract/index.js';
import type { Models } from '../models.js';
import type { Preference, StoredPreference } from '../preferences/preference.js';
import { lockMembers } from './members-sql.js';

/** A number of attempts allowed in a time window. */
export interface RateLimit {
  max: number;
  window_ms: number;
}

/** Members' preferences, and locks: changes of a member's data lock the member. */
export class MemberRows {
  readonly #db: Database;
  readonly #models: Models;

  constructor(db: Database, models: Models) {
    this.#db = db;
    this.#models = models;
  }

  /** Runs `work` in a transaction with the member locked and passes its preferences. */
  async lock<T>(member_id: number, work: (chosen: Preference) => Promise<T>): Promise<T> {
    return this.#db.transaction(async () => work((await this.lockAll([member_id])).get(member_id) ?? new Map()));
  }

  /** Locks several members in id order until the current transaction ends. */
  async lockAll(ids: readonly number[]): Promise<ReadonlyMap<number, Preference>> {
    const sorted = [...new Set(ids)].sort((one, other) => one - other);
    if (sorted.length === 0) return new Map();
    const rows = await lockMembers(this.#db, this.#models.members, sorted);
    return new Map(rows.map(({ member_id, channels }) => [member_id, preferencesFrom(channels)]));
  }

  async preferencesOf(member_id: number): Promise<Preference> {
    const row = await this.#models.members.findByPk(member_id, { raw: true });
    return row ? preferencesFrom(row.channels) : new Map();
  }

  /** Requires the member's lock. */
  async savePreferences(member_id: number, chosen: Preference): Promise<void> {
    await this.#models.members.update({ channels: Object.fromEntries(chosen) }, { where: { member_id } });
  }

  /** Counts another test; at the limit returns the ms until the next one is allowed. Requires the member's lock. */
  async countTest(member_id: number, now: number, { max, window_ms }: RateLimit): Promise<number | undefined> {
    const row = await this.#models.members.findByPk(member_id, { raw: true });
    const { tests, tests_since } = row ?? { tests: 0, tests_since: 0 };
    const isOver = now - tests_since >= window_ms;
    if (row && !isOver && tests >= max) return tests_since + window_ms - now;
    const counted = isOver ? { tests: 1, tests_since: now } : { tests: tests + 1 };
    await this.#models.members.update(counted, { where: { member_id } });
    return undefined;
  }

  /** Members after `id` that have rows here, at most 500. */
  async idsAfter(id: number): Promise<number[]> {
    const where = { member_id: { [Op.gt]: id } };
    const rows = await this.#models.members.findAll({ attributes: ['member_id'], where, order: ['member_id'], limit: 500, raw: true });
    return rows.map(({ member_id }) => member_id);
  }

  /** Deletes everything of a member. */
  async forget(member_id: number): Promise<void> {
    const { members, deliveries, watermarks, items } = this.#models;
    await members.destroy({ where: { member_id } });
    await deliveries.destroy({ where: { member_id } });
    await watermarks.destroy({ where: { member_id } });
    await items.destroy({ where: { member_id } });
  }
}

function preferencesFrom(channels: Record<string, StoredPreference>): Preference {
  return new Map(Object.entries(channels));
}
