import { fail as coreFail } from '../../../kernel/contract/index.js';
import { dayOf, daysBefore, daysBetween, readTime } from './day.js';

/** Limit of days in a report. */
const max_days = 366;
const default_days = 30;

/** First and last day in UTC, both included. */
export interface DayRange {
  from: string;
  to: string;
}

/** Reads the range of a report. Default: 30 days up to the last. Fails with `invalid_input`. */
export function rangeOf(given: { from?: string; to?: string }, now: number): DayRange {
  const to = given.to === undefined ? undefined : dayOf(timeOf('to', given.to));
  const from = given.from === undefined ? undefined : dayOf(timeOf('from', given.from));
  const last = to ?? later(dayOf(now), from);
  const first = from ?? daysBefore(last, default_days - 1);
  const length = daysBetween(first, last) + 1;
  if (length < 1) throw invalid('from', `The range from ${first} to ${last} ends before it begins`);
  if (length > max_days) throw invalid('from', `The range from ${first} to ${last} has ${length} days; the limit is ${max_days}`);
  return { from: first, to: last };
}

/** Reads an ISO 8601 date or time to milliseconds. `path`: its key in the input. Fails with `invalid_input`. */
export function timeOf(path: string, text: string): number {
  const time = readTime(text.trim());
  if (time !== undefined && Math.abs(time) <= max_ms) return time;
  throw invalid(path, `'${text.slice(0, 40)}' is not an ISO 8601 date or time`);
}

/** End of the range of four-digit years. */
const max_ms = Date.UTC(9999, 0, 1);

function later(day: string, other = ''): string {
  return other > day ? other : day;
}

function invalid(path: string, message: string) {
  return coreFail('invalid_input', `${path}: ${message}`, { details: [{ path, message }] });
}
