import { type Clock, fail as coreFail } from '../../../kernel/contract/index.js';
import type { MembersService } from '../../members/contract.js';
import { fail } from '../codes.js';
import type { ReplyUsage, UsageReport, Used } from '../contract.js';
import type { DayRow } from '../models.js';
import type { Budget } from './budget.js';
import { dayOf, daysBefore, daysBetween, readTime } from './day.js';
import type { UsageStore } from './store.js';

/** Retention in days: usage by reply, and sums by day. */
const reply_retention_days = 90;
const sum_retention_days = 800;
/** Limit of days in a report. */
const max_days = 366;
const default_days = 30;

interface Parts {
  store: UsageStore;
  budget: Budget;
  members: MembersService;
  clock: Clock;
}

/** Reports the model usage of AI employees. */
export class Reports {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Reports usage by day (UTC), both ends included. Default: the last 30 days. */
  async report(member_id: number, range: { from?: string; to?: string }): Promise<UsageReport> {
    const { store, budget } = this.#parts;
    const { from, to } = this.#range(range);
    await this.#require(member_id);
    const [rows, day] = await Promise.all([store.days(member_id, { from, to }), budget.day(member_id)]);
    const models = grouped(rows, 'model').sort((one, other) => tokensOf(other) - tokensOf(one));
    return { member_id, from, to, ...sum(rows), days: grouped(rows, 'day'), models, budget: day };
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

  #range(given: { from?: string; to?: string }): { from: string; to: string } {
    const to = given.to === undefined ? undefined : dayOf(timeOf('to', given.to));
    const from = given.from === undefined ? undefined : dayOf(timeOf('from', given.from));
    const last = to ?? later(dayOf(this.#parts.clock.now()), from);
    const first = from ?? daysBefore(last, default_days - 1);
    const length = daysBetween(first, last) + 1;
    if (length < 1) throw invalid('from', `The range from ${first} to ${last} ends before it begins`);
    if (length > max_days) throw invalid('from', `The range from ${first} to ${last} has ${length} days; the limit is ${max_days}`);
    return { from: first, to: last };
  }
}

function later(day: string, other = ''): string {
  return other > day ? other : day;
}

function timeOf(path: string, text: string): number {
  const time = readTime(text.trim());
  if (time !== undefined && Math.abs(time) <= max_ms) return time;
  throw invalid(path, `'${text.slice(0, 40)}' is not an ISO 8601 date or time`);
}

/** End of the range of four-digit years. */
const max_ms = Date.UTC(9999, 0, 1);

function invalid(path: string, message: string) {
  return coreFail('invalid_input', `${path}: ${message}`, { details: [{ path, message }] });
}

function sum(rows: readonly DayRow[]): Used {
  const used = { input_tokens: 0, output_tokens: 0, calls: 0, replies: 0 };
  for (const row of rows) {
    used.input_tokens += row.input_tokens;
    used.output_tokens += row.output_tokens;
    used.calls += row.calls;
    used.replies += row.replies;
  }
  return used;
}

function grouped<Key extends 'day' | 'model'>(rows: readonly DayRow[], key: Key): (Used & Record<Key, string>)[] {
  const groups = new Map<string, DayRow[]>();
  for (const row of rows) groups.set(row[key], [...(groups.get(row[key]) ?? []), row]);
  return [...groups].map(([name, group]) => ({ [key]: name, ...sum(group) }) as Used & Record<Key, string>);
}

function tokensOf({ input_tokens, output_tokens }: Used): number {
  return input_tokens + output_tokens;
}
