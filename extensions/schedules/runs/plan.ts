import type { CatchUp } from '../contract.js';
import type { Trigger } from '../triggers/trigger.js';

/** A planned time counts as missed after this long: the server was down, suspended, or its clock was moved. */
const grace_ms = 30_000;

/** Maximum number of missed times counted; beyond it the count is only a lower bound. */
const max_counted = 1_000;

/** Planned times at which nothing could run. */
export interface MissedTimes {
  first: number;
  last: number;
  /** At most {@link max_counted}. */
  count: number;
}

/** The due times of a schedule. Times are in ms since the epoch. */
export interface Plan {
  missed: MissedTimes | undefined;
  run: { cause: 'schedule' | 'catch_up'; scheduled_for: number } | undefined;
  /** The next planned time; undefined if there is none. */
  next: number | undefined;
}

/** Splits the planned times from `due` to now: the latest is run if it is recent, those before it were missed. */
export function planOf(trigger: Trigger, { due, now, catch_up }: { due: number; now: number; catch_up: CatchUp }): Plan {
  const latest = latestOf(trigger, due, now);
  const next = trigger.next(latest);
  if (now - latest <= grace_ms) {
    const missed = latest > due ? missedOf(trigger, due, latestOf(trigger, due, latest - 1)) : undefined;
    return { missed, run: { cause: 'schedule', scheduled_for: latest }, next };
  }
  const run = catch_up === 'latest' ? ({ cause: 'catch_up', scheduled_for: latest } as const) : undefined;
  return { missed: missedOf(trigger, due, latest), run, next };
}

/**
 * Returns the latest planned time up to `now`, given that `due` is one. Searches backwards in growing steps: a gap may
 * be a year of minutes.
 */
function latestOf(trigger: Trigger, due: number, now: number): number {
  let latest = due;
  for (let back = 60_000; latest === due && now - back / 2 > due; back *= 2) {
    const found = trigger.next(Math.max(due, now - back) - 1);
    if (found !== undefined && found <= now) latest = found;
  }
  for (let next = trigger.next(latest); next !== undefined && next <= now; next = trigger.next(latest)) latest = next;
  return latest;
}

function missedOf(trigger: Trigger, first: number, last: number): MissedTimes {
  let count = 1;
  for (let at: number | undefined = first; at !== undefined && at < last && count < max_counted; count += 1) at = trigger.next(at);
  return { first, last, count };
}
