import { type CronDate, CronExpressionParser } from 'cron-parser';
import { LRUCache } from 'lru-cache';
import type { Expression } from './expression.js';
import { day_ms, minute_ms } from './read.js';

/** Eight years include a 29 February even around 2100, which is not a leap year. */
const horizon_days = 8 * 366;

/** Many schedules share an expression and the minute from which its next time is searched, which takes up to milliseconds. */
const found = new LRUCache<string, number>({ max: 2_000 });

/**
 * Returns the first time of an expression strictly after `after`, within eight years, in a local time without clock
 * changes. A local time is given as the ms since the epoch at which UTC's clock shows the same.
 */
export function nextWallTime(expression: Expression, after: number): number | undefined {
  const minute = Math.floor(after / minute_ms);
  const { pattern, weekdays } = expression;
  const key = [minute, pattern, ...(weekdays ?? [])].join(' ');
  const wall = found.get(key) ?? search(expression, minute * minute_ms);
  if (wall !== undefined) found.set(key, wall);
  return wall;
}

function search({ pattern, weekdays }: Expression, after: number): number | undefined {
  try {
    const [currentDate, endDate] = [new Date(after), new Date(startOfDay(after + minute_ms, horizon_days + 1) - 1)];
    const dates = CronExpressionParser.parse(pattern, { currentDate, endDate, tz: 'UTC' });
    const isDue = (date: CronDate) => weekdays === undefined || weekdays.has(date.getDay());
    let date = dates.next();
    while (!isDue(date)) {
      dates.reset(new Date(startOfDay(date.getTime(), 1) - 1));
      date = dates.next();
    }
    return date.getTime();
  } catch {
    // It throws if there is no time before the end, and for a day that exists in no month.
    return undefined;
  }
}

/** Returns the start of the day that is this many days after the day of `at`. */
function startOfDay(at: number, days: number): number {
  return (Math.floor(at / day_ms) + days) * day_ms;
}
