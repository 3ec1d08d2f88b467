import type { Context, ToolProvider, ToolSlot } from '../../kernel/contract/index.js';
import type { Chat } from '../chat/contract.js';
import type { Members } from '../members/contract.js';
import type { Agents } from './contract.js';
import { HabitStore } from './model/habits.js';
import { Models } from './model/models.js';
import type { Models as Tables } from './models.js';
import { Endpoints } from './profiles/endpoints.js';
import { Profiles } from './profiles/profiles.js';
import { References } from './profiles/references.js';
import { SettingsStore } from './profiles/store.js';
import { budgets } from './pushed-frames.js';
import { type ModelSettings, readWaitLimits } from './settings.js';
import type { Skills } from './skills/skills.js';
import { Budget, type BudgetEvent } from './usage/budget.js';
import { Reports } from './usage/reports.js';
import { UsageStore } from './usage/store.js';
import { UsageSummaries } from './usage/summary.js';

const toolSlot: ToolSlot = 'agents.tools';

/** Creates the parts that store AI employees' settings and count their usage. */
export function employmentOf(
  ctx: Context<Agents>,
  tables: Tables,
  { platform, skills }: { platform: ModelSettings | undefined; skills: Skills },
) {
  const { db, clock, secrets } = ctx;
  ctx.topic(budgets, 'admin');
  const members = ctx.use<Members>('members');
  const store = new SettingsStore(db, tables.settings, readWaitLimits(ctx.config));
  const habits = new HabitStore(db, tables.habits, ctx);
  const usage = new UsageStore(db, tables);
  const announce = async (event: BudgetEvent) => {
    await ctx.emit(budgets, event);
    ctx.push({ topic: budgets }, { type: budgets, data: event });
  };
  const tokens = ctx.counter('tokens_total', 'Tokens that models have read and written, by kind', 'kind');
  const budget = new Budget({ store: usage, settings: store, clock, tokens, announce: announce });
  ctx.metric('tokens_today', 'Tokens that AI employees have used today, in UTC', () => budget.used());
  const models = new Models((allow) => ctx.web(allow), habits);
  const references = new References(members, skills, (id) => ctx.find(id));
  const endpoints = new Endpoints(secrets);
  const isTool = (name: string) => ctx.slot<ToolProvider>(toolSlot).some(({ value }) => value.brings?.(name) ?? true);
  const refreshPresence = () => db.afterCommit(() => ctx.presence.refresh());
  const parts = {
    store,
    endpoints,
    references,
    skills,
    models,
    habits,
    budget,
    platform,
    members,
    isTool,
    clock,
    changed: refreshPresence,
  };
  const profiles = new Profiles(parts);
  const prices = () => profiles.prices();
  const titles = async (ids: readonly string[]) => ctx.use<Chat>('chat').openTitles(ids);
  const reports = new Reports({ store: usage, budget, members, prices, clock });
  return {
    store,
    usage,
    budget,
    profiles,
    habits,
    reports,
    summaries: new UsageSummaries({ store: usage, members, prices, titles, clock }),
  };
}
