import type { Clock, Database } from '../../../kernel/contract/index.js';
import type { Run } from '../contract.js';
import type { RunStore } from '../store/runs.js';
import type { ScheduleStore } from '../store/schedules.js';
import type { Endings } from './endings.js';

export interface ReaperParts {
  db: Database;
  clock: Clock;
  schedules: ScheduleStore;
  runs: RunStore;
  endings: Endings;
  told: (runs: readonly Run[]) => void;
}

/** Ends what runs no more, because the process that ran it is gone. */
export class Reaper {
  readonly #parts: ReaperParts;

  constructor(parts: ReaperParts) {
    this.#parts = parts;
  }

  /** With `all_but`, what any other process has claimed, whatever its lease. */
  async reap(all_but?: string): Promise<void> {
    const { db, clock, schedules, runs, endings, told } = this.#parts;
    if (!(await runs.anyLapsed(all_but))) return;
    const now = clock.now();
    const reaped = await db.transaction(async () => {
      const reaped = await runs.reap({ now, result: 'The process that ran it ended before it did', all_but });
      const known = await schedules.byIds([...new Set(reaped.map(({ schedule_id }) => schedule_id))]);
      await endings.record(reaped, known, now);
      return reaped;
    });
    told(reaped);
  }
}
