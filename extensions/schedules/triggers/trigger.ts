import type { Fault } from '../../../kernel/contract/index.js';
import { fail } from './codes.js';
import { readCron } from './cron.js';
import { readInterval } from './interval.js';
import { readOnce } from './once.js';
import { max_value_length, type Parsed } from './read.js';
import { type Zone, zoneNamed } from './zone.js';

/**
 * Meaning of `trigger_value`:
 * - `cron`: five fields, see {@link readCron}, in the local time of `timezone`
 * - `interval`: `15m` or `2h`, 1 minute to 366 days
 * - `once`: an ISO 8601 date and time; without an offset it is in the local time of `timezone`
 */
export type TriggerType = 'cron' | 'interval' | 'once';

/** Timing of a schedule. Times are in ms since the epoch. */
export interface Trigger {
  /** Returns the first planned time strictly after `after`; undefined if there is none (cron: none within eight years). */
  next(after: number): number | undefined;
}

export interface TriggerSpec {
  trigger_type: TriggerType;
  trigger_value: string;
  /**
   * A name from the time zone database such as `Europe/Berlin` or `UTC`; not an offset. Checked for each type;
   * `interval` doesn't use it.
   */
  timezone: string;
}

/** Creates the trigger of a parsed value for a zone and an anchor. */
type Plan = (zone: Zone, anchor: number) => Trigger;

const readers: Readonly<Record<TriggerType, (value: string) => Parsed<Plan>>> = { cron: readCron, interval: readInterval, once: readOnce };

/**
 * Reads a trigger. The result depends only on the arguments and on this Node's time zone rules.
 *
 * @param anchor ms. Interval: a planned time or the creation; planned times are `anchor + k * interval`
 *   with k >= 1. Cron: where the eight years of `never_runs` begin. Once: unused; callers check with `next`
 *   whether its time has passed.
 * @throws Failure `trigger_invalid` (400), with all faults at `trigger_value` and `timezone` in `details`;
 *   `never_runs` (400) for a cron expression without a time in the eight years after `anchor`.
 */
export function triggerOf(spec: TriggerSpec, anchor: number): Trigger {
  const plan = spec.trigger_value.length > max_value_length ? tooLong : readers[spec.trigger_type](spec.trigger_value);
  const zone = zoneNamed(spec.timezone);
  if ('value' in plan && 'value' in zone) return plan.value(zone.value, anchor);
  throw invalid([...faultsAt('trigger_value', plan), ...faultsAt('timezone', zone)]);
}

const tooLong: Parsed<never> = { faults: [`The value is longer than ${max_value_length} characters`] };

function faultsAt(path: string, read: Parsed<unknown>): Fault[] {
  return 'faults' in read ? read.faults.map((message) => ({ path, message })) : [];
}

function invalid(details: readonly Fault[]) {
  return fail('trigger_invalid', details.map(({ message }) => message).join('; '), { details });
}
