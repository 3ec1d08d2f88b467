import t from 'tap';
import { type Trigger, type TriggerSpec, triggerOf } from '../../../../extensions/schedules/triggers/trigger.js';
import { at, cron, following, written } from './times.js';

function interval(trigger_value: string, anchor: number): Trigger {
  return triggerOf({ trigger_type: 'interval', trigger_value, timezone: 'UTC' }, anchor);
}

function once(trigger_value: string, timezone = 'UTC'): Trigger {
  return triggerOf({ trigger_type: 'once', trigger_value, timezone }, 0);
}

t.test('an interval is counted from its anchor', async (t) => {
  const anchor = at('2026-11-20T08:07:13.250Z');
  const quarter = interval('15m', anchor);
  t.equal(written(quarter.next(anchor) as number), '2026-11-20T08:22:13.250Z');
  t.equal(quarter.next(anchor - 1), anchor + 900_000, 'the anchor itself is not a planned time');
  t.equal(quarter.next(anchor - 86_400_000), anchor + 900_000, 'a time before the anchor is not planned either');
  t.equal(quarter.next(anchor + 899_999), anchor + 900_000);
  t.equal(quarter.next(anchor + 900_000), anchor + 1_800_000, 'the next time is strictly later');
  t.equal(quarter.next(anchor + 100 * 900_000 + 7), anchor + 101 * 900_000, 'a late run does not move later times');
  t.equal(interval('1m', anchor).next(anchor), anchor + 60_000);
  t.equal(interval('01h', anchor).next(anchor), anchor + 3_600_000);
  for (const longest of ['527040m', '8784h']) t.equal(interval(longest, anchor).next(anchor), anchor + 366 * 86_400_000, longest);
});

t.test('a single time is parsed with and without a zone', async (t) => {
  const rows: readonly [string, string][] = [
    ['2026-11-20T08:30', '2026-11-20T08:30Z'],
    ['2026-11-20T08:30:00', '2026-11-20T08:30Z'],
    ['2026-11-20T08:30:00Z', '2026-11-20T08:30Z'],
    ['2026-11-20T08:30+02:00', '2026-11-20T06:30Z'],
    ['2026-11-20T08:30-0330', '2026-11-20T12:00Z'],
    ['2026-01-01T00:30+14:00', '2025-12-31T10:30Z'],
    ['2026-11-20T08:30:59.5Z', '2026-11-20T08:30:59.500Z'],
    ['2026-11-20T08:30:59.123456', '2026-11-20T08:30:59.123Z'],
    ['2026-11-20T08:30:00.0009Z', '2026-11-20T08:30Z'],
    ['2028-02-29T23:59:59Z', '2028-02-29T23:59:59.000Z'],
    ['9999-12-31T23:59Z', '9999-12-31T23:59Z'],
  ];
  for (const [value, time] of rows) t.equal(written(once(value).next(0) as number), time, value);
  t.equal(
    written(once('2026-11-20T08:30', 'Asia/Kolkata').next(0) as number),
    '2026-11-20T03:00Z',
    'a time without an offset is in the zone',
  );
  const time = at('2026-11-20T08:30Z');
  t.equal(once('2026-11-20T08:30').next(time - 1), time);
  t.equal(once('2026-11-20T08:30').next(time), undefined, 'the next time is strictly later');
});

t.test('days of month and week are combined like crontab', async (t) => {
  const rows: readonly [string, string[]][] = [
    ['0 0 13 * FRI', ['2026-11-27', '2026-12-04', '2026-12-11', '2026-12-13', '2026-12-18']],
    ['0 0 13 * *', ['2026-12-13', '2027-01-13']],
    ['0 0 * * FRI', ['2026-11-27', '2026-12-04']],
    ['0 0 1-7 * */7', ['2026-12-06', '2027-01-03', '2027-02-07']],
    ['0 0 */2 * MON', ['2026-11-23', '2026-12-07', '2026-12-21', '2027-01-11']],
    ['0 0 *,5 * MON', ['2026-11-23', '2026-11-30']],
    ['0 0 1-31 * MON', ['2026-11-21', '2026-11-22', '2026-11-23']],
    ['0 0 1 * 0-6', ['2026-11-21', '2026-11-22']],
    ['0 0 * * 7', ['2026-11-22', '2026-11-29']],
    ['0 0 * * 0', ['2026-11-22', '2026-11-29']],
    ['0 0 * * 0,7', ['2026-11-22', '2026-11-29']],
    ['0 0 * * 5-7', ['2026-11-21', '2026-11-22', '2026-11-27']],
    ['0 0 * * sun-Tue,FRI', ['2026-11-22', '2026-11-23', '2026-11-24', '2026-11-27']],
    ['0 0 30 2 MON', ['2027-02-01', '2027-02-08']],
    ['0 0 31 * *', ['2026-12-31', '2027-01-31', '2027-03-31', '2027-05-31']],
    ['0 0 1-3,2-4,3 12 *', ['2026-12-01', '2026-12-02', '2026-12-03', '2026-12-04', '2027-12-01']],
    ['\t0  0 \t1 jan-MAR/2 * ', ['2027-01-01', '2027-03-01', '2028-01-01']],
  ];
  for (const [expression, days] of rows) {
    const found = following(cron(expression), at('2026-11-20T00:00Z'), days.length);
    t.same(
      found.map(written),
      days.map((day) => `${day}T00:00Z`),
      expression,
    );
  }
});

t.test('leap years are handled, and 2100 is none', async (t) => {
  const leap = cron('0 0 29 2 *');
  const years = (from: string, count: number) => following(leap, at(from), count).map((time) => new Date(time).getUTCFullYear());
  t.same(years('2026-11-20T00:00Z', 3), [2028, 2032, 2036]);
  t.same(years('2095-06-01T00:00Z', 3), [2096, 2104, 2108]);
  t.equal(written(leap.next(at('2096-02-29T00:00Z')) as number), '2104-02-29T00:00Z', 'the search covers eight years to the day');
  t.same(following(cron('0 0 1 3 *'), at('2099-06-01T00:00Z'), 2).map(written), ['2100-03-01T00:00Z', '2101-03-01T00:00Z']);
  t.same(following(cron('0 0 28-29 2 *'), at('2100-01-01T00:00Z'), 2).map(written), ['2100-02-28T00:00Z', '2101-02-28T00:00Z']);
  t.equal(leap.next(at('2096-02-28T23:59:59.999Z')), at('2096-02-29T00:00Z'));
});

t.test('a job without further days has no next time', async (t) => {
  const sundays = cron('0 0 29 2 */7', 'UTC', at('2026-01-01T00:00Z'));
  t.equal(written(sundays.next(at('2026-01-01T00:00Z')) as number), '2032-02-29T00:00Z');
  t.equal(sundays.next(at('2032-02-29T00:00Z')), undefined);
});

t.test('the eight years end with their last day, whatever the time of the first', async (t) => {
  const noons = cron('0 12 29 2 */2', 'UTC', at('2040-02-23T23:58Z'));
  t.equal(written(noons.next(at('2040-02-23T23:58Z')) as number), '2048-02-29T12:00Z');
  t.equal(written(noons.next(at('2040-02-22T23:59Z')) as number), '2048-02-29T12:00Z');
  t.equal(noons.next(at('2040-02-22T23:58Z')), undefined);
});

t.test('the next time is after the seconds and milliseconds of the given time', async (t) => {
  const minutely = cron('* * * * *');
  t.equal(minutely.next(at('2026-11-20T08:30:00.000Z')), at('2026-11-20T08:31Z'));
  t.equal(minutely.next(at('2026-11-20T08:30:59.999Z')), at('2026-11-20T08:31Z'));
  t.equal(minutely.next(at('2026-11-20T08:29:59.999Z')), at('2026-11-20T08:30Z'));
  t.equal(minutely.next(at('1969-12-31T23:59:30Z')), 0);
});

t.test('zone names ignore case', async (t) => {
  const noon = at('2026-11-20T12:00Z');
  for (const zone of ['utc', 'Utc', 'Etc/UTC', 'etc/gmt']) t.equal(cron('0 13 * * *', zone).next(noon), noon + 3_600_000, zone);
  for (const zone of ['europe/berlin', 'Europe/Berlin']) t.equal(cron('0 14 * * *', zone).next(noon), noon + 3_600_000, zone);
  for (const zone of Intl.supportedValuesOf('timeZone')) t.doesNotThrow(() => cron('0 0 * * *', zone), zone);
});

t.test('10,000 due schedules are read and planned within half a second', async (t) => {
  const specs: TriggerSpec[] = ['*/15 * * * *', '30 2 * * *', '0 9 * * MON-FRI', '0 0 1 * *', '0 */2 * * *'].flatMap((trigger_value) =>
    ['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata'].map(
      (timezone) => ({ trigger_type: 'cron', trigger_value, timezone }) as const,
    ),
  );
  const now = at('2026-03-28T12:00Z');
  const plan = () => specs.filter((spec) => triggerOf(spec, now).next(now) === undefined).length;
  plan();
  const start = process.cpuUsage();
  let without = 0;
  for (let planned = 0; planned < 10_000; planned += specs.length) without += plan();
  // Processor time, which other processes on the machine don't affect.
  const { user } = process.cpuUsage(start);
  const spent = user / 1_000;
  t.equal(without, 0);
  t.ok(spent < 500, `${spent} ms, where 500 are 50 microseconds each`);
});
