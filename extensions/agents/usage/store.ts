import { type Database, deletePortions, Op, type SqlValue, tuple } from '../../../kernel/contract/index.js';
import { addDays, addReplies, markAlert } from '../agents-sql.js';
import type { ReplyUsage } from '../contract.js';
import type { DayRow, Models, UsageRow } from '../models.js';
import type { DayRange } from './range.js';
import { keyOf, type Sum, summed } from './sums.js';
import type { UsedRow } from './sums-of-rows.js';

type SumKey = 'day' | 'requested_by' | 'room_id';

/** Usage summed by AI employee, model and a key. */
export type SummedUsage<Key extends SumKey> = UsedRow & Pick<UsageRow, Key>;

/** Only the usage of an AI employee, for a member, or in a room. */
export type UsageFilter = Partial<{ member_id: number; requested_by: number; room_id: string }>;

/** Tokens used by one model request. */
export type RequestUsage = Omit<UsageRow, 'calls'>;

/** Stores usage in `agents_usage`, `agents_days` and `agents_alerts`. */
export class UsageStore {
  readonly #db: Database;
  readonly #models: Pick<Models, 'usage' | 'days' | 'alerts'>;

  constructor(db: Database, models: Pick<Models, 'usage' | 'days' | 'alerts'>) {
    this.#db = db;
    this.#models = models;
  }

  /** Adds usage by reply and by day; returns each member's daily limit, 0 for none. */
  async add(taken: readonly RequestUsage[]): Promise<ReadonlyMap<number, number>> {
    const created = await this.#addReplies(summed(taken, reply));
    const days = summed(taken, day).map((sum) => ({ ...sum, replies: created.get(keyOf(sum, day)) ?? 0 }));
    const values: SqlValue[] = [];
    const rows = days.map(({ member_id, day: date, model, input_tokens, output_tokens, calls, replies }) =>
      tuple(values, [member_id, date, model, input_tokens, output_tokens, calls, replies]),
    );
    const added = await this.#db.rows<{ member_id: number; tokens_per_day: number | null }>(addDays(rows.join()), values);
    return new Map(added.map(({ member_id, tokens_per_day }) => [member_id, tokens_per_day ?? 0]));
  }

  /** Adds usage by reply; returns the number of new replies by day. */
  async #addReplies(sums: readonly Sum[]): Promise<ReadonlyMap<string, number>> {
    const values: SqlValue[] = [];
    const rows = sums.map(({ message_id, model, day: date, member_id, at, input_tokens, output_tokens, calls, estimated, ...source }) => {
      const { requested_by, room_id } = source;
      const used = [input_tokens, output_tokens, calls, estimated];
      return tuple(values, [message_id, model, date, member_id, at, ...used, requested_by, room_id]);
    });
    const added = await this.#db.rows<Pick<Sum, 'message_id' | 'model' | 'day' | 'calls'>>(addReplies(rows.join()), values);
    const calls = new Map(added.map((row) => [keyOf(row, reply), row.calls]));
    const fresh = new Map<string, number>();
    for (const sum of sums) {
      const key = keyOf(sum, day);
      if (calls.get(keyOf(sum, reply)) === sum.calls) fresh.set(key, (fresh.get(key) ?? 0) + 1);
    }
    return fresh;
  }

  /** Returns a member's tokens of a day. */
  async spent(member_id: number, day: string): Promise<number> {
    return (await this.#spent({ member_id, day })).get(member_id) ?? 0;
  }

  /** Returns the tokens of a day by member. */
  allSpent(day: string): Promise<ReadonlyMap<number, number>> {
    return this.#spent({ day });
  }

  async #spent(where: { member_id?: number; day: string }): Promise<ReadonlyMap<number, number>> {
    const tokens = new Map<number, number>();
    for (const { member_id, input_tokens, output_tokens } of await this.#models.days.findAll({ where, raw: true }))
      tokens.set(member_id, (tokens.get(member_id) ?? 0) + input_tokens + output_tokens);
    return tokens;
  }

  /** Returns the usage of days, of one AI employee or of all. */
  daysOf({ from, to }: DayRange, { member_id }: Pick<UsageFilter, 'member_id'>): Promise<DayRow[]> {
    const days = { day: { [Op.between]: [from, to] as [string, string] } };
    const where = member_id === undefined ? days : { ...days, member_id };
    return this.#models.days.findAll({ where, order: ['day', 'model', 'member_id'], raw: true });
  }

  /** Sums usage by reply for each AI employee, model and value of a key. Earlier replies than 90 days ago are gone. */
  async sums<Key extends SumKey>(key: Key, { from, to }: DayRange, filter: UsageFilter): Promise<SummedUsage<Key>[]> {
    const { fn, col } = this.#db.expressions;
    const total = (name: string): [ReturnType<typeof fn>, string] => [fn('sum', col(name)), name];
    const tokens = [total('input_tokens'), total('output_tokens'), total('calls')];
    const rows = (await this.#models.usage.findAll({
      attributes: ['member_id', 'model', key, ...tokens, [fn('count', col('message_id')), 'replies']],
      where: { ...filter, day: { [Op.between]: [from, to] as [string, string] } },
      group: ['member_id', 'model', key],
      order: [key, 'model', 'member_id'],
      raw: true,
    })) as unknown as SummedUsage<Key>[];
    // PostgreSQL returns sums as text.
    return rows.map((row) => ({
      ...row,
      input_tokens: Number(row.input_tokens),
      output_tokens: Number(row.output_tokens),
      calls: Number(row.calls),
      replies: Number(row.replies),
    }));
  }

  /** Lists usage by reply, newest first. */
  replies(member_id: number, { before, limit }: { before: string; limit: number }): Promise<ReplyUsage[]> {
    return this.#models.usage.findAll({
      attributes: { exclude: ['day', 'member_id', 'requested_by', 'room_id'] },
      where: { member_id, at: { [Op.lt]: before } },
      order: [['at', 'DESC'], ['message_id', 'DESC'], 'model'],
      limit,
      raw: true,
    });
  }

  /** Marks a threshold as announced; false if it already was. */
  async mark(member_id: number, day: string, percent: number): Promise<boolean> {
    return (await this.#db.run(markAlert, [member_id, day, percent])) === 1;
  }

  async unmark(member_id: number, day: string, percent: number): Promise<void> {
    await this.#models.alerts.destroy({ where: { member_id, day, percent } });
  }

  /** Deletes all usage of an AI employee; removes a person from the usage of those that it has asked. */
  async forget(member_id: number): Promise<void> {
    const { usage, days, alerts } = this.#models;
    const where = { member_id };
    await usage.update({ requested_by: null }, { where: { requested_by: member_id } });
    await usage.destroy({ where });
    await days.destroy({ where });
    await alerts.destroy({ where });
  }

  /** Deletes usage by reply before one day, and sums before another. Returns the number of rows. */
  async sweep(before: { replies: string; days: string }): Promise<number> {
    const { usage, days, alerts } = this.#models;
    const replies = await deletePortions(usage, { day: { [Op.lt]: before.replies } });
    const where = { day: { [Op.lt]: before.days } };
    return replies + (await deletePortions(days, where)) + (await deletePortions(alerts, where));
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#db.transaction(work);
  }
}

/** Keys of `agents_usage` and of `agents_days`. */
const reply = ['message_id', 'model', 'day'] as const;
const day = ['member_id', 'model', 'day'] as const;
