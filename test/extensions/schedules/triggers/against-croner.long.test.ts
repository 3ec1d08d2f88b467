import { Cron } from 'croner';
import t, { type Test } from 'tap';
import { expressions, inZones, severalHours, zones } from './expressions.js';
import { at, cron, following, WallClock, written } from './times.js';

const start = at('2026-11-20T08:30Z');
const end = at('2036-11-20T08:30Z');

/** Expressions with at most this many times in ten years are compared completely. */
const few = 130;

/** Otherwise, so many times from each of these: leap days, ends of years and of months, the century, and days on which clocks are set. */
const sampled = 12;
const samples = [
  ...[
    '2026-12-31T10:00Z',
    '2027-02-28T10:00Z',
    '2028-02-28T20:00Z',
    '2032-02-29T20:00Z',
    '2029-12-31T23:59Z',
    '2030-04-30T12:00Z',
    '2096-02-28T12:00Z',
    '2100-02-28T12:00Z',
    '2104-02-28T12:00Z',
  ],
  ...[
    '2025-03-08T22:00Z',
    '2025-03-09T06:30Z',
    '2025-11-02T03:00Z',
    '2025-11-02T06:30Z',
    '2025-03-29T20:00Z',
    '2025-10-25T20:00Z',
    '2025-10-26T00:30Z',
  ],
  ...[
    '2025-10-04T14:40Z',
    '2025-04-05T14:10Z',
    '2025-04-05T15:10Z',
    '2025-09-07T02:00Z',
    '2025-04-06T01:00Z',
    '2025-04-06T03:10Z',
    '2024-04-25T20:00Z',
    '2024-10-31T19:00Z',
    '2024-10-31T21:20Z',
  ],
].map(at);

function ofCroner(job: Cron, after: number, count: number): number[] {
  return job.nextRuns(count, new Date(after)).map((time) => time.getTime());
}

interface Compared {
  expression: string;
  zone: string;
  /** Whether a sample is left out where the clock is set a day before it or until its last time. */
  steady?: boolean;
}

/** Compares a row, and says how many times were compared. */
function compare(t: Test, { expression, zone, steady = false }: Compared): number {
  const ours = cron(expression, zone);
  const job = new Cron(expression, { timezone: zone, mode: '5-part' });
  const all = following(ours, start, few + 1);
  const isFew = (all.at(-1) ?? 0) > end;
  let compared = 0;
  for (const after of isFew ? [start, at('2095-06-01T00:00Z')] : samples) {
    const wanted = ofCroner(job, after, isFew ? all.length : sampled);
    if (steady && !isSteady(zone, [after - 86_400_000, after, ...wanted])) continue;
    t.same(following(ours, after, wanted.length).map(written), wanted.map(written), `${expression} in ${zone} after ${written(after)}`);
    compared += wanted.length;
  }
  return compared;
}

/** Whether a zone's clock has the same offset at all of these times. */
function isSteady(zone: string, times: readonly number[]): boolean {
  const clock = new WallClock(zone);
  return new Set(times.map((time) => Date.parse(`${clock.shows(time)}Z`) - Math.floor(time / 60_000) * 60_000)).size === 1;
}

t.test('planned times agree with croner in UTC', async (t) => {
  t.equal(new Set(expressions).size, expressions.length);
  for (const expression of expressions) t.ok(compare(t, { expression, zone: 'UTC' }) > 0);
});

for (const zone of zones)
  t.test(`planned times agree with croner in ${zone}`, async (t) => {
    for (const expression of inZones) t.ok(compare(t, { expression, zone }) > 0);
    for (const expression of severalHours) t.ok(compare(t, { expression, zone, steady: true }) > 0);
  });

t.test('the table has 300 rows', async (t) => {
  const rows = expressions.length + (inZones.length + severalHours.length) * zones.length;
  t.ok(rows >= 300, `${rows}`);
});

/** The reason, a zone, an expression, a moment, our next times, and croner's. */
type Difference = [why: string, zone: string, expression: string, after: string, ours: string[], croner: string[]];

/**
 * Where croner differs, and why we keep to our rule. Croner takes each job of several hours for one that
 * follows the clock, we only jobs of every hour: so that `0 1,2` is no less safe from running twice than `0 1`.
 */
const differences: readonly Difference[] = [
  [
    'a skipped time of several hours',
    'America/New_York',
    '0 */2 * * *',
    '2025-03-09T05:00Z',
    ['2025-03-09T07:00Z', '2025-03-09T08:00Z'],
    ['2025-03-09T08:00Z', '2025-03-09T10:00Z'],
  ],
  [
    'a skipped time of several hours',
    'America/New_York',
    '45 1,2,3 * * *',
    '2025-03-09T06:45Z',
    ['2025-03-09T07:00Z', '2025-03-09T07:45Z'],
    ['2025-03-09T07:45Z', '2025-03-10T05:45Z'],
  ],
  [
    'a skipped time of several hours',
    'Australia/Lord_Howe',
    '0 */2 * * *',
    '2025-10-04T14:40Z',
    ['2025-10-04T15:30Z', '2025-10-04T17:00Z'],
    ['2025-10-04T17:00Z', '2025-10-04T19:00Z'],
  ],
  [
    'a repeated time of several hours',
    'America/New_York',
    '45 1,2,3 * * *',
    '2025-11-02T05:45Z',
    ['2025-11-02T07:45Z'],
    ['2025-11-02T06:45Z'],
  ],
  ['a repeated time of several hours', 'Europe/Berlin', '0 */2 * * *', '2025-10-26T00:00Z', ['2025-10-26T03:00Z'], ['2025-10-26T01:00Z']],
  [
    'a skipped day',
    'Pacific/Apia',
    '0 9 * * *',
    '2011-12-29T19:00Z',
    ['2011-12-30T10:00Z', '2011-12-30T19:00Z'],
    ['2011-12-30T19:00Z', '2011-12-31T19:00Z'],
  ],
  [
    'a step of days counts as unrestricted, as in Vixie cron',
    'UTC',
    '0 0 */2 * MON',
    '2026-11-20T00:00Z',
    ['2026-11-23T00:00Z', '2026-12-07T00:00Z'],
    ['2026-11-21T00:00Z', '2026-11-23T00:00Z'],
  ],
  [
    'a step of weekdays counts as unrestricted, as in Vixie cron',
    'UTC',
    '0 0 1-7 * */7',
    '2026-11-20T00:00Z',
    ['2026-12-06T00:00Z', '2027-01-03T00:00Z'],
    ['2026-11-22T00:00Z', '2026-11-29T00:00Z'],
  ],
];

t.test('planned times differ from croner in the listed cases', async (t) => {
  for (const [why, timezone, expression, after, ours, croner] of differences) {
    t.same(following(cron(expression, timezone), at(after), ours.length).map(written), ours, `ours: ${why}`);
    const job = new Cron(expression, { timezone, mode: '5-part' });
    t.same(ofCroner(job, at(after), croner.length).map(written), croner, `croner's: ${why}`);
  }
});
