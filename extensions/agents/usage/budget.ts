import { type Clock, type Counter, Together } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { AgentsEvents, DayBudget } from '../contract.js';
import type { Cost } from '../model/prompt.js';
import type { SettingsStore } from '../profiles/store.js';
import { dayOf, endOf } from './day.js';
import type { RequestUsage, UsageStore } from './store.js';

/** Percentage of the daily tokens that triggers the warning. */
const warning_percent = 80;
/** Limit of costs stored by one statement. */
const batch_size = 50;

interface Parts {
  store: UsageStore;
  settings: SettingsStore;
  clock: Clock;
  /** Tokens by kind. */
  tokens: Counter;
  /** Emits a reached threshold, inside the transaction. */
  announce: (event: BudgetEvent) => Promise<void>;
}

export type BudgetEvent = AgentsEvents['agents.budget'];

/** Cost, and the name of its spender. */
interface SpentTokens {
  name: string;
  usage: RequestUsage;
}

/** AI employee that asks a model. */
export interface Spender {
  readonly member_id: number;
  /** Display name. */
  readonly name: string;
  /** Member for whom it asks. Default: unknown. */
  readonly requested_by?: number;
  /** Session of the room in which it asks; null, the default, outside of rooms. */
  readonly room_id?: string | null;
}

/** Enforces the daily token limits (UTC) of AI employees, counted in the database for all instances. */
export class Budget {
  readonly #parts: Parts;
  /** Batches the costs of answers that end at the same time. */
  readonly #spent = new Together<SpentTokens, undefined>((take) => this.#store(take), { max: batch_size });

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Checks the budget before a model request: fails with `token_limit` if nothing is left. A running request is never
   * cut off, so a day may end slightly above its limit. `known`: the limit, if it was just read.
   */
  async assert({ member_id, name }: Spender, known?: number): Promise<void> {
    // Most have no limit, so their usage need not be read.
    if ((known ?? (await this.#parts.settings.dayLimit(member_id))) === 0) return;
    const { paused, used, limit, resets_at } = await this.day(member_id);
    if (!paused) return;
    const ms = Date.parse(resets_at) - this.#parts.clock.now();
    const sentence = `${name} has used its tokens for today, ${used} of ${limit}. It continues at ${resets_at}, or when an administrator raises tokens_per_day`;
    throw fail('token_limit', sentence, { retry_after: Math.max(1, Math.ceil(ms / 1000)) });
  }

  /** Counts the cost of a request. `message_id` is the reply it was made for. */
  async spend(spender: Spender, message_id: string, { usage, model, estimated }: Omit<Cost, 'type'>): Promise<void> {
    const { clock, tokens } = this.#parts;
    const { member_id, name, requested_by = null, room_id = null } = spender;
    const time = { day: dayOf(clock.now()), at: clock.iso() };
    const taken = { member_id, message_id, model: model.slice(0, 200), ...time, ...usage, estimated, requested_by, room_id };
    await this.#spent.do({ name, usage: taken });
    tokens.add('input', usage.input_tokens);
    tokens.add('output', usage.output_tokens);
  }

  /** Returns today's budget. */
  async day(member_id: number): Promise<DayBudget> {
    const { store, settings, clock } = this.#parts;
    const day = dayOf(clock.now());
    const [used, limit] = await Promise.all([store.spent(member_id, day), settings.dayLimit(member_id)]);
    return budgetOf(day, used, limit);
  }

  /** Returns today's budgets of several members. */
  async days(member_ids: readonly number[]): Promise<ReadonlyMap<number, DayBudget>> {
    const { store, settings, clock } = this.#parts;
    const [first] = member_ids;
    if (first !== undefined && member_ids.length === 1) return new Map([[first, await this.day(first)]]);
    const day = dayOf(clock.now());
    const [spent, limits] = await Promise.all([store.allSpent(day), settings.dayLimits()]);
    return new Map(member_ids.map((id) => [id, budgetOf(day, spent.get(id) ?? 0, limits.get(id) ?? 0)]));
  }

  /** Returns the tokens all have used today. */
  async used(): Promise<number> {
    const { store, clock } = this.#parts;
    return [...(await store.allSpent(dayOf(clock.now()))).values()].reduce((sum, tokens) => sum + tokens, 0);
  }

  /** Returns an unused budget without limit. */
  unused(): DayBudget {
    return budgetOf(dayOf(this.#parts.clock.now()), 0, 0);
  }

  /**
   * Resets announcements after a change of the limit: the end of the day, and the warning too if usage is below it
   * again. Runs inside the transaction of the change.
   */
  async limitChanged(member_id: number): Promise<void> {
    const { store } = this.#parts;
    const budget = await this.day(member_id);
    await store.unmark(member_id, budget.day, 100);
    if (!hasReached(budget, warning_percent)) await store.unmark(member_id, budget.day, warning_percent);
  }

  #store(take: () => readonly SpentTokens[]): Promise<undefined[]> {
    const { store } = this.#parts;
    return store.transaction(async () => {
      const all = take();
      const limits = await store.add(all.map(({ usage: taken }) => taken));
      // Most have no limit, so their usage need not be read.
      const limited = all.filter(({ usage: { member_id } }) => (limits.get(member_id) ?? 0) > 0);
      // Sorted, like all writes: instances that warn about the same members don't deadlock.
      for (const spender of [...new Set(limited.map(({ usage: taken }) => taken.member_id))].sort((one, other) => one - other))
        await this.#warnMember(limited.filter(({ usage: taken }) => taken.member_id === spender));
      return all.map(() => undefined);
    });
  }

  /** Announces thresholds for one member's costs, as if each had been stored separately. */
  async #warnMember(spent: readonly SpentTokens[]): Promise<void> {
    const member_id = spent[0]?.usage.member_id ?? 0;
    const { day, used, limit } = await this.day(member_id);
    const today = spent.filter(({ usage: taken }) => taken.day === day);
    let later = today.reduce((sum, { usage: taken }) => sum + tokensOf(taken), 0);
    for (const { name, usage: taken } of today) {
      later -= tokensOf(taken);
      await this.#warn({ member_id, name }, budgetOf(day, used - later, limit));
    }
  }

  async #warn({ member_id, name }: Spender, budget: DayBudget): Promise<void> {
    const { store, announce: tell } = this.#parts;
    const percent = budget.paused ? 100 : warning_percent;
    if (!hasReached(budget, percent) || !(await store.mark(member_id, budget.day, percent))) return;
    await tell({ ...budget, member_id, name, percent });
  }
}

function hasReached({ used, limit }: DayBudget, percent: number): boolean {
  return limit > 0 && used * 100 >= limit * percent;
}

function tokensOf({ input_tokens, output_tokens }: RequestUsage): number {
  return input_tokens + output_tokens;
}

function budgetOf(day: string, used: number, limit: number): DayBudget {
  return { day, used, limit, paused: limit > 0 && used >= limit, resets_at: endOf(day) };
}
