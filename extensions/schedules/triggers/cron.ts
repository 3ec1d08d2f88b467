import { LRUCache } from 'lru-cache';
import { fail } from './codes.js';
import { type Expression, readExpression } from './expression.js';
import { day_ms, type Parsed } from './read.js';
import { nextWallTime } from './wall.js';
import type { Zone } from './zone.js';

/** Many schedules share few expressions; parsing one takes microseconds. */
const expressions = new LRUCache<string, Parsed<Expression>>({ max: 1_000 });

/**
 * Parses a cron expression (its grammar: {@link readExpression}) for a zone's local time.
 * When the clock is changed: an hourly job (all 24 hours) follows the clock. It runs whenever the clock shows one of
 * its times, so also in the repeated hour, and nothing replaces what is skipped. Any other job runs once for each of
 * its local times: a time that is skipped runs at the first instant after the gap, together with any other that falls
 * there; one that occurs twice runs the first time.
 */
export function readCron(text: string): Parsed<(zone: Zone, anchor: number) => Cron> {
  let read = expressions.get(text);
  if (!read) {
    read = readExpression(text);
    expressions.set(text, read);
  }
  if ('faults' in read) return read;
  const expression = read.value;
  return {
    value: (zone, anchor) => {
      const cron = new Cron(expression, zone);
      if (cron.next(anchor) === undefined) throw neverRuns(text);
      return cron;
    },
  };
}

function neverRuns(text: string) {
  const message = `The cron expression '${text}' has no time within eight years; change its day of month, month or day of week`;
  return fail('never_runs', message, { details: [{ path: 'trigger_value', message }] });
}

class Cron {
  readonly #expression: Expression;
  readonly #zone: Zone;

  constructor(expression: Expression, zone: Zone) {
    this.#expression = expression;
    this.#zone = zone;
  }

  next(after: number): number | undefined {
    return this.#expression.isHourly ? this.#nextRepeated(after) : this.#nextLocalTime(after);
  }

  /** Returns the next local time, each of which has one instant. */
  #nextLocalTime(after: number): number | undefined {
    const backShift = this.#zone.shift(after - day_ms, after);
    const localTime = after + this.#zone.offset(after);
    // While the clock repeats an hour, everything that it showed before it was set back has already run
    const wall = nextWallTime(this.#expression, backShift ? Math.max(localTime, backShift.at + backShift.before - 1) : localTime);
    return wall === undefined ? undefined : this.#zone.firstInstant(wall);
  }

  /** Returns the next instant at which the clock shows one of the local times. */
  #nextRepeated(after: number): number | undefined {
    const shift = this.#zone.shift(after, after + day_ms);
    if (!shift) return this.#nextRepeatedFrom(after + this.#zone.offset(after), after);
    const wall = nextWallTime(this.#expression, after + shift.before);
    if (wall !== undefined && wall - shift.before < shift.at) return wall - shift.before;
    return this.#nextRepeatedFrom(beforeFirstTimeAfter(shift), after);
  }

  #nextRepeatedFrom(from: number, after: number): number | undefined {
    let wall = nextWallTime(this.#expression, from);
    while (wall !== undefined) {
      const shift = this.#zone.shiftNear(wall);
      if (!shift) return wall - this.#zone.offset(wall);
      const first = wall - shift.before;
      if (first < shift.at && first > after) return first;
      const second = wall - shift.after;
      if (second >= shift.at) return second;
      wall = nextWallTime(this.#expression, beforeFirstTimeAfter(shift));
    }
    return undefined;
  }
}

/** Just before the local time that the clock shows once it has been set. */
function beforeFirstTimeAfter(shift: { at: number; after: number }): number {
  return shift.at + shift.after - 1;
}
