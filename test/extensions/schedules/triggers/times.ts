import { type Trigger, triggerOf } from '../../../../extensions/schedules/triggers/trigger.js';

/** A cron trigger of a zone, made long before the times that tests look at. */
export function cron(trigger_value: string, timezone = 'UTC', anchor = Date.UTC(2000, 0)): Trigger {
  return triggerOf({ trigger_type: 'cron', trigger_value, timezone }, anchor);
}

/** A moment written in UTC, `2026-03-08T07:00Z`. */
export function at(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new Error(`The test's own time '${text}' is no time`);
  return time;
}

/** As {@link at} reads it. */
export function written(time: number): string {
  const text = new Date(time).toISOString();
  return time % 60_000 === 0 ? `${text.slice(0, 16)}Z` : text;
}

/** The next planned times, at most `count`. */
export function following(trigger: Trigger, after: number, count: number): number[] {
  const times: number[] = [];
  for (let time = trigger.next(after); time !== undefined && times.length < count; time = trigger.next(time)) times.push(time);
  return times;
}

/** Formats a zone's local time as `2026-03-08 03:00`, with Intl but by another method than the source. */
export class WallClock {
  readonly #format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  }

  shows(time: number): string {
    return this.#format.format(time);
  }
}
