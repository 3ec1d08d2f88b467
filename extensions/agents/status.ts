import type { ChatService } from '../chat/contract.js';
import type { Status, VirtualDetails } from '../members/contract.js';
import type { ActiveCompletions } from './openai/active-completions.js';
import type { PlacementParts } from './placement.js';
import { unavailableAmong } from './presence.js';
import type { SettingsStore } from './profiles/store.js';
import { type Skills, selectedOf } from './skills/skills.js';
import type { Budget } from './usage/budget.js';

interface Parts {
  chat: Pick<ChatService, 'working'>;
  settings: SettingsStore;
  budget: Budget;
  skills: Pick<Skills, 'all'>;
  underWay: ActiveCompletions;
  readiness: PlacementParts['readiness'];
}

/** Provides the status of AI employees to members. */
export function statusBoard({ chat, settings: store, budget, skills, underWay, readiness }: Parts): VirtualDetails {
  return {
    details: async (employees) => {
      const ids = employees.map(({ id }) => id);
      const [working, budgets, stored, installed, away] = await Promise.all([
        chat.working(ids),
        budget.days(ids),
        store.of(ids),
        skills.all(),
        unavailableAmong(employees, { settings: store, readiness }),
      ]);
      return new Map(
        ids.map((id) => {
          const { skills: selection, oversight } = (stored.get(id) ?? store.defaults).settings;
          const status = underWay.has(id)
            ? 'working'
            : statusOf(working.get(id), { away: away.has(id), paused: budgets.get(id)?.paused ?? false });
          return [id, { status, skills: selectedOf(installed, selection).map(({ label }) => label), oversight }];
        }),
      );
    },
  };
}

/** Derives the status. `waiting`: nothing continues without a person; `offline` or `paused`: it would start nothing for one. */
function statusOf(tasks: { running: number; waiting: number } | undefined, { away, paused }: { away: boolean; paused: boolean }): Status {
  if (tasks && tasks.running > 0) return 'working';
  if (tasks && tasks.waiting > 0) return 'waiting';
  if (away) return 'offline';
  return paused ? 'paused' : 'idle';
}
