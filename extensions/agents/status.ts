import type { ChatService } from '../chat/contract.js';
import type { Status, VirtualDetails } from '../members/contract.js';
import type { Availability } from './availability.js';
import type { UnderWay } from './openai/under-way.js';
import type { SettingsStore } from './profiles/store.js';
import { type Skills, selectedOf } from './skills/skills.js';
import type { Budget } from './usage/budget.js';

interface Parts {
  chat: Pick<ChatService, 'working'>;
  settings: SettingsStore;
  budget: Budget;
  skills: Pick<Skills, 'all'>;
  underWay: UnderWay;
  availability: Pick<Availability, 'away'>;
}

/** What AI employees do now, as members shows it. */
export class StatusBoard implements VirtualDetails {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async details(employees: Parameters<VirtualDetails['details']>[0]): ReturnType<VirtualDetails['details']> {
    const { chat, budget, skills, underWay, availability } = this.#parts;
    const ids = employees.map(({ id }) => id);
    const [working, budgets, kept, installed, away] = await Promise.all([
      chat.working(ids),
      budget.days(ids),
      this.#parts.settings.of(ids),
      skills.all(),
      availability.away(employees),
    ]);
    return new Map(
      ids.map((id) => {
        const { skills: selection, oversight } = (kept.get(id) ?? this.#parts.settings.usual).settings;
        const status = underWay.has(id)
          ? 'working'
          : statusOf(working.get(id), { away: away.has(id), paused: budgets.get(id)?.paused ?? false });
        return [id, { status, skills: selectedOf(installed, selection).map(({ label }) => label), oversight }];
      }),
    );
  }
}

/** It waits where nothing of it goes on without a person, and is offline or paused where it would begin nothing for one. */
function statusOf(tasks: { running: number; waiting: number } | undefined, { away, paused }: { away: boolean; paused: boolean }): Status {
  if (tasks && tasks.running > 0) return 'working';
  if (tasks && tasks.waiting > 0) return 'waiting';
  if (away) return 'offline';
  return paused ? 'paused' : 'idle';
}
