import type { Clock } from '../../../kernel/contract/index.js';
import type { MembersService } from '../../members/contract.js';
import { fail } from '../codes.js';
import type { ReplyUsage, UsageReport } from '../contract.js';
import type { Budget } from './budget.js';
import { dayOf, daysBefore } from './day.js';
import type { PriceOf } from './prices.js';
import { rangeOf, timeOf } from './range.js';
import type { UsageStore } from './store.js';
import { groupedBy, mostUsedFirst, sumOf } from './sums-of-rows.js';

/** Retention in days: usage by reply, and sums by day. */
const reply_retention_days = 90;
const sum_retention_days = 800;

interface Parts {
  store: UsageStore;
  budget: Budget;
  members: MembersService;
  /** Returns the prices of now. */
  prices: () => Promise<PriceOf>;
  clock: Clock;
}

/** Reports the model usage of AI employees. */
export class Reports {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Reports usage by day (UTC), both ends included. Default: the last 30 days. */
  async report(member_id: number, given: { from?: string; to?: string }): Promise<UsageReport> {
    const { store, budget, prices, clock } = this.#parts;
    const range = rangeOf(given, clock.now());
    await this.#require(member_id);
    const [rows, day, priceOf] = await Promise.all([store.daysOf(range, { member_id }), budget.day(member_id), prices()]);
    const models = mostUsedFirst(groupedBy(rows, 'model', priceOf));
    return { member_id, ...range, ...sumOf(rows, priceOf), days: groupedBy(rows, 'day', priceOf), models, budget: day };
  }

  /** Lists the usage of single replies, newest first. */
  async replies(member_id: number, { before, limit }: { before?: string; limit: number }): Promise<ReplyUsage[]> {
    await this.#require(member_id);
    const end = before === undefined ? Number.POSITIVE_INFINITY : timeOf('before', before);
    return this.#parts.store.replies(member_id, { before: Number.isFinite(end) ? new Date(end).toISOString() : '9999', limit });
  }

  /** Deletes old rows; returns their number. */
  async sweep(): Promise<number> {
    const today = dayOf(this.#parts.clock.now());
    return this.#parts.store.sweep({ replies: daysBefore(today, reply_retention_days), days: daysBefore(today, sum_retention_days) });
  }

  async #require(member_id: number): Promise<void> {
    if (!(await this.#parts.members.virtual(member_id))) throw fail('employee_not_found', `There is no AI employee ${member_id}`);
  }
}
