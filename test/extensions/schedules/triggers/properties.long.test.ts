import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { type Minute, minutesOf, naiveTimes } from './naive.js';
import { at, cron, written } from './times.js';

const hour = 3_600_000;

/** Zones with the days around which their clock is set, or none. */
const shifts: readonly [zone: string, days: string[]][] = [
  ['UTC', ['2028-02-29T00:00Z', '2026-12-31T12:00Z', '2100-02-28T12:00Z']],
  ['Asia/Kolkata', ['2028-02-29T00:00Z', '2026-12-31T12:00Z']],
  ['America/New_York', ['2025-03-09T07:00Z', '2025-11-02T06:00Z', '2040-03-11T07:00Z']],
  ['Europe/Berlin', ['2025-03-30T01:00Z', '2025-10-26T01:00Z', '2000-03-26T01:00Z']],
  ['Australia/Lord_Howe', ['2025-10-04T15:30Z', '2025-04-05T15:00Z']],
  ['America/Santiago', ['2025-09-07T04:00Z', '2025-04-06T03:00Z']],
  ['Asia/Beirut', ['2025-03-29T22:00Z', '2025-10-25T21:00Z']],
  ['Africa/Cairo', ['2024-04-25T22:00Z', '2024-10-31T21:00Z']],
  ['Africa/Casablanca', ['2024-03-10T02:00Z', '2024-04-14T02:00Z']],
  ['Europe/Dublin', ['2025-03-30T01:00Z', '2025-10-26T01:00Z']],
  ['America/St_Johns', ['2025-03-09T05:30Z', '2010-03-14T03:31Z', '2010-11-07T02:31Z']],
  ['Antarctica/Troll', ['2025-03-30T01:00Z', '2025-10-26T01:00Z']],
  ['Antarctica/Casey', ['2020-10-03T16:01Z', '2021-03-13T13:00Z']],
  ['Asia/Pyongyang', ['2015-08-14T15:00Z', '2018-05-04T15:00Z']],
  ['America/Caracas', ['2007-12-09T07:00Z', '2016-05-01T07:00Z']],
  ['Pacific/Apia', ['2011-12-30T10:00Z', '2012-03-31T14:00Z']],
];

const place = fc
  .constantFrom(...shifts)
  .chain(([zone, days]) =>
    fc.record({ zone: fc.constant(zone), shift: fc.constantFrom(...days).map(at), lead: fc.integer({ min: 0, max: 36 * 60 }) }),
  );

function field(first: number, last: number, few: number) {
  const value = fc.integer({ min: first, max: last });
  const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const step = fc.integer({ min: 1, max: last - first + 1 });
  const item = fc.oneof(
    value.map(String),
    range,
    fc.tuple(range, step).map(([range, step]) => `${range}/${step}`),
    step.map((step) => `*/${step}`),
  );
  return fc.oneof(
    { weight: few, arbitrary: fc.constant('*') },
    { weight: 3, arbitrary: fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(',')) },
  );
}

/** Hours mostly near those at which clocks are set; days mostly open, so that the window holds some times. */
const expression = fc
  .tuple(field(0, 59, 1), fc.oneof(field(0, 23, 2), field(0, 3, 1)), field(1, 31, 4), field(1, 12, 9), field(0, 7, 4))
  .map((fields) => fields.join(' '));

/** Local times of a zone in a window, cached because computing them is slow. */
const windows = new Map<string, Minute[]>();

const runs = { numRuns: 700, seed: 20_261_120 };

t.test('times around a clock change equal those found minute by minute', async (t) => {
  let compared = 0;
  const property = fc.property(expression, place, (expression, { zone, shift, lead }) => {
    const from = shift - 30 * hour;
    const to = shift + 30 * hour;
    const expected = naiveTimes(expression, shownMinutes(zone, from, to)).filter((time) => time > from + lead * 60_000);
    const found: string[] = [];
    const trigger = randomTrigger(expression, zone);
    for (let time = trigger?.next(from + lead * 60_000); time !== undefined && time <= to; time = trigger?.next(time))
      found.push(written(time));
    assert.deepEqual(found, expected.map(written), `${expression} in ${zone}`);
    compared += expected.length;
  });
  fc.assert(property, runs);
  t.ok(compared > 10_000, `${compared} times`);
});

t.test('the next time is always later, and none is skipped or repeated', async (t) => {
  let compared = 0;
  const property = fc.property(
    expression,
    place,
    fc.array(fc.integer({ min: 0, max: 60 * 3_600_000 }), { minLength: 5, maxLength: 20 }),
    (expression, { zone, shift }, moments) => {
      const trigger = randomTrigger(expression, zone);
      if (!trigger) return;
      const sorted = moments.map((moment) => shift - 30 * hour + moment).sort((a, b) => a - b);
      let before = Number.NEGATIVE_INFINITY;
      for (const moment of sorted) {
        const next = trigger.next(moment) ?? Number.POSITIVE_INFINITY;
        assert(next > moment, `${expression} in ${zone} after ${written(moment)}: ${next}`);
        assert(next >= before, `${expression} in ${zone} after ${written(moment)} goes back`);
        assert(before <= moment || next === before, `${expression} in ${zone} after ${written(moment)} leaves one out`);
        before = next;
        compared += 1;
      }
    },
  );
  fc.assert(property, runs);
  t.ok(compared > 5_000, `${compared} moments`);
});

function shownMinutes(zone: string, from: number, to: number): Minute[] {
  const key = `${zone} ${from}`;
  const minutes = windows.get(key) ?? minutesOf(zone, { from, to });
  windows.set(key, minutes);
  return minutes;
}

/** Undefined where the random expression never runs. */
function randomTrigger(expression: string, zone: string) {
  try {
    return cron(expression, zone);
  } catch (thrown) {
    assert.equal((thrown as { code?: unknown }).code, 'never_runs', `${expression}: ${String(thrown)}`);
    return undefined;
  }
}
