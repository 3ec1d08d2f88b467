import { type Clock, type Counter, Together } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { AgentsEvents, DayBudget } from '../contract.js';
import type { Cost } from '../model/prompt.js';
import type { SettingsStore } from '../profiles/store.js';
import { dayOf, endOf } from './day.js';
import type { Taken, UsageStore } from './store.js';

/** The percentage of a day's tokens at which is warned. */
const warning = 80;
/** So many costs are stored by one statement. */
const at_once = 50;

interface Parts {
  store: UsageStore;
  settings: SettingsStore;
  clock: Clock;
  /** Tokens, by their kind. */
  tokens: Counter;
  /** Tells of what was reached, inside the transaction. */
  tell: (event: BudgetEvent) => Promise<void>;
}

export type BudgetEvent = AgentsEvents['agents.budget'];

/** What was spent by somebody of this name. */
interface Spent {
  name: string;
  taken: Taken;
}

/** Who asks a model. */
export interface Spender {
  readonly member_id: number;
  /** As people know it. */
  readonly name: string;
}

/** What AI employees may take of their models in a day of UTC, counted in the database for all instances. */
export class Budget {
  readonly #parts: Parts;
  /** When many answers end at one moment, their costs are stored together. */
  readonly #spent = new Together<Spent, undefined>((take) => this.#store(take), { max: at_once });

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Call it before each question to a model: fails with `token_limit` where nothing of the day's tokens is
   * left. A question that is under way is never cut off, so a day may end a little above its limit. `known`: that limit, where it
   * was read just now.
   */
  async assert({ member_id, name }: Spender, known?: number): Promise<void> {
    // Most are not limited: what they have used is then not asked for.
    if ((known ?? (await this.#parts.settings.dayLimit(member_id))) === 0) return;
    const { paused, used, limit, resets_at } = await this.day(member_id);
    if (!paused) return;
    const ms = Date.parse(resets_at) - this.#parts.clock.now();
    const sentence = `${name} has used its tokens for today, ${used} of ${limit}. It goes on at ${resets_at}, or when an administrator raises tokens_per_day`;
    throw fail('token_limit', sentence, { retry_after: Math.max(1, Math.ceil(ms / 1000)) });
  }

  /** Counts what a question has cost. `message_id` is the reply for which it was asked. */
  async spend({ member_id, name }: Spender, message_id: string, { usage, model, estimated }: Omit<Cost, 'type'>): Promise<void> {
    const { clock, tokens } = this.#parts;
    const taken = { member_id, message_id, model: model.slice(0, 200), day: dayOf(clock.now()), at: clock.iso(), ...usage, estimated };
    await this.#spent.do({ name, taken });
    tokens.add('input', usage.input_tokens);
    tokens.add('output', usage.output_tokens);
  }

  /** What of today's tokens is spent. */
  async day(member_id: number): Promise<DayBudget> {
    const { store, settings, clock } = this.#parts;
    const day = dayOf(clock.now());
    const [used, limit] = await Promise.all([store.spent(member_id, day), settings.dayLimit(member_id)]);
    return budgetOf(day, used, limit);
  }

  /** The same of several. */
  async days(member_ids: readonly number[]): Promise<ReadonlyMap<number, DayBudget>> {
    const { store, settings, clock } = this.#parts;
    const [first] = member_ids;
    if (first !== undefined && member_ids.length === 1) return new Map([[first, await this.day(first)]]);
    const day = dayOf(clock.now());
    const [spent, limits] = await Promise.all([store.allSpent(day), settings.dayLimits()]);
    return new Map(member_ids.map((id) => [id, budgetOf(day, spent.get(id) ?? 0, limits.get(id) ?? 0)]));
  }

  /** Tokens that all have used today. */
  async used(): Promise<number> {
    const { store, clock } = this.#parts;
    return [...(await store.allSpent(dayOf(clock.now()))).values()].reduce((sum, tokens) => sum + tokens, 0);
  }

  /** Of one that has used nothing, and has no limit. */
  unused(): DayBudget {
    return budgetOf(dayOf(this.#parts.clock.now()), 0, 0);
  }

  /** With another limit the day's end is told anew, and the warning too where it lies ahead again. Inside the transaction that changes it. */
  async limitChanged(member_id: number): Promise<void> {
    const { store } = this.#parts;
    const budget = await this.day(member_id);
    await store.unmark(member_id, budget.day, 100);
    if (!hasReached(budget, warning)) await store.unmark(member_id, budget.day, warning);
  }

  #store(take: () => readonly Spent[]): Promise<undefined[]> {
    const { store } = this.#parts;
    return store.transaction(async () => {
      const all = take();
      const limits = await store.add(all.map(({ taken }) => taken));
      // Most have none: what they have used is then not asked for.
      const limited = all.filter(({ taken: { member_id } }) => (limits.get(member_id) ?? 0) > 0);
      // In one order, as all of it is written: instances that warn of the same ones don't wait for each other.
      for (const spender of [...new Set(limited.map(({ taken }) => taken.member_id))].sort((one, other) => one - other))
        await this.#warnOf(limited.filter(({ taken }) => taken.member_id === spender));
      return all.map(() => undefined);
    });
  }

  /** Of one's costs, as if each had been stored by itself. */
  async #warnOf(spent: readonly Spent[]): Promise<void> {
    const member_id = spent[0]?.taken.member_id ?? 0;
    const { day, used, limit } = await this.day(member_id);
    const today = spent.filter(({ taken }) => taken.day === day);
    let later = today.reduce((sum, { taken }) => sum + tokensOf(taken), 0);
    for (const { name, taken } of today) {
      later -= tokensOf(taken);
      await this.#warn({ member_id, name }, budgetOf(day, used - later, limit));
    }
  }

  async #warn({ member_id, name }: Spender, budget: DayBudget): Promise<void> {
    const { store, tell } = this.#parts;
    const percent = budget.paused ? 100 : warning;
    if (!hasReached(budget, percent) || !(await store.mark(member_id, budget.day, percent))) return;
    await tell({ ...budget, member_id, name, percent });
  }
}

function hasReached({ used, limit }: DayBudget, percent: number): boolean {
  return limit > 0 && used * 100 >= limit * percent;
}

function tokensOf({ input_tokens, output_tokens }: Taken): number {
  return input_tokens + output_tokens;
}

function budgetOf(day: string, used: number, limit: number): DayBudget {
  return { day, used, limit, paused: limit > 0 && used >= limit, resets_at: endOf(day) };
}
