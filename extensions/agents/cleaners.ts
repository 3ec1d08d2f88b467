import type { Cleaner } from '../../kernel/contract/index.js';
import type { ApprovalDesk } from './approvals/desk.js';
import type { HabitStore } from './model/habits.js';
import type { Profiles } from './profiles/profiles.js';
import type { Reports } from './usage/reports.js';

interface Parts {
  desk: ApprovalDesk;
  reports: Reports;
  profiles: Profiles;
  habits: HabitStore;
}

/**
 * How long is kept what grows by itself: decided approvals 30 days, the usage of single replies 90 days and its sums
 * by day 800 days, settings as long as their AI employee, and what was learnt of a model's server for a day.
 */
export function cleanersOf({ desk, reports, profiles, habits }: Parts): Cleaner[] {
  return [
    { name: 'approvals', clean: () => desk.tidy() },
    { name: 'usage', clean: () => reports.sweep() },
    { name: 'settings', clean: () => profiles.sweep() },
    { name: 'model_habits', clean: () => habits.sweep() },
  ];
}
