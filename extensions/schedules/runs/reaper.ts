import { type Clock, type Database, LeaseJudge } from '../../../kernel/contract/index.js';
import type { Run } from '../contract.js';
import type { RunStore } from '../store/runs.js';
import type { ScheduleStore } from '../store/schedules.js';
import type { Endings } from './endings.js';

export interface ReaperParts {
  db: Database;
  clock: Clock;
  /** Names this process. */
  instance: string;
  /** Renews the leases of what runs here, which lives, whatever a clock says. */
  renew: () => Promise<void>;
  schedules: ScheduleStore;
  runs: RunStore;
  endings: Endings;
  told: (runs: readonly Run[]) => void;
}

/** Schedules at a time. */
const most_healed = 200;

/** Ends what runs no more, because the process that ran it is gone. */
export class Reaper {
  readonly #parts: ReaperParts;
  readonly #judge = new LeaseJudge();

  constructor(parts: ReaperParts) {
    this.#parts = parts;
  }

  /** What is claimed and held by nobody; with `whatever_lease`, all that another process has claimed. */
  async reap({ whatever_lease = false } = {}): Promise<void> {
    const { db, clock, instance, schedules, runs, endings, told, renew } = this.#parts;
    const dead = whatever_lease ? { not_of: instance } : {};
    const found = await runs.anyDead(dead);
    if (!(this.#judge.answered() || whatever_lease) || !found) return;
    await renew();
    const now = clock.now();
    const reaped = await db.transaction(async () => {
      const reaped = await runs.reap({ now, result: 'The process that ran it ended before it did', ...dead });
      const known = await schedules.byIds([...new Set(reaped.map(({ schedule_id }) => schedule_id))]);
      await endings.record(reaped, known, now);
      return reaped;
    });
    told(reaped);
  }

  /** Lets those start that wait for a turn that nobody gives any more: two that ended at once may each have left it to the other. */
  async heal(): Promise<void> {
    const { db, clock, runs } = this.#parts;
    const waiting = await runs.withWaiting(most_healed);
    if (waiting.length > 0) await db.transaction(() => runs.release(waiting, clock.now()));
  }
}
