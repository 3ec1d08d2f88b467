import type { Fault } from '../../../kernel/contract/index.js';
import { fail } from './codes.js';
import { readCron } from './cron.js';
import { readInterval } from './interval.js';
import { readOnce } from './once.js';
import { max_value_length, type Read } from './read.js';
import { type Zone, zoneNamed } from './zone.js';

/**
 * What `trigger_value` is:
 * - `cron`: five fields, see {@link readCron}, on the wall clock of `timezone`
 * - `interval`: `15m` or `2h`, 1 minute to 366 days
 * - `once`: an ISO 8601 date and time; without an offset it is a time on the clock of `timezone`
 */
export type TriggerType = 'cron' | 'interval' | 'once';

/** When a schedule is due. Times are ms since the epoch. */
export interface Trigger {
  /** The first planned time strictly after `after`; undefined where there is none any more (cron: none within eight years). */
  next(after: number): number | undefined;
}

export interface TriggerSpec {
  trigger_type: TriggerType;
  trigger_value: string;
  /** A name of the time zone database such as `Europe/Berlin` or `UTC`; no offset. Checked for each type; `interval` doesn't use it. */
  timezone: string;
}

/** What a value means once it is known where and from when on. */
type Plan = (zone: Zone, anchor: number) => Trigger;

const readers: Readonly<Record<TriggerType, (value: string) => Read<Plan>>> = { cron: readCron, interval: readInterval, once: readOnce };

/**
 * Reads a trigger. What comes out depends on the arguments and on this Node's time zone rules alone.
 *
 * @param anchor ms. Interval: a planned time or the creation; planned times are `anchor + k * interval`
 *   with k >= 1. Cron: where the eight years of `never_runs` begin. Once: not looked at; whether its
 *   time has passed is for the caller to ask of `next`.
 * @throws Failure `trigger_invalid` (400), with all faults at `trigger_value` and `timezone` in `details`;
 *   `never_runs` (400) for a cron expression without a time in the eight years after `anchor`.
 */
export function triggerOf(spec: TriggerSpec, anchor: number): Trigger {
  const plan = spec.trigger_value.length > max_value_length ? tooLong : readers[spec.trigger_type](spec.trigger_value);
  const zone = zoneNamed(spec.timezone);
  if ('value' in plan && 'value' in zone) return plan.value(zone.value, anchor);
  throw invalid([...faultsAt('trigger_value', plan), ...faultsAt('timezone', zone)]);
}

const tooLong: Read<never> = { faults: [`The value is longer than ${max_value_length} characters`] };

function faultsAt(path: string, read: Read<unknown>): Fault[] {
  return 'faults' in read ? read.faults.map((message) => ({ path, message })) : [];
}

function invalid(details: readonly Fault[]) {
  return fail('trigger_invalid', details.map(({ message }) => message).join('; '), { details });
}
