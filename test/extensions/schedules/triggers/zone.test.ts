import t from 'tap';
import { Zone, zoneNamed } from '../../../../extensions/schedules/triggers/zone.js';
import { at } from './times.js';

const hour = 3_600_000;
/** Offsets are looked up by spans of so many ms. */
const span = 2 ** 21 * 1_000;

/** A zone that goes from UTC to an hour east at a moment. */
function zoneThatShifts(moment: number): Zone {
  return new Zone({ format: (time) => (time < moment ? '1/1/2026, GMT' : '1/1/2026, GMT+01:00') });
}

t.test('a shift is found to the second at any position within the spans', async (t) => {
  for (const moment of [
    800 * span,
    800 * span + 1_000,
    801 * span - 1_000,
    800 * span + 1_234_567_000,
    800 * span + 2 ** 18 * 1_000,
    -3 * span,
  ]) {
    const zone = zoneThatShifts(moment);
    const shift = { at: moment, before: 0, after: hour };
    t.same([zone.offset(moment - 1), zone.offset(moment)], [0, hour], `${moment - 800 * span}`);
    t.same(zone.shift(moment - 1, moment), shift, 'a shift at the end of a span is found');
    t.equal(zone.shift(moment, moment + span), undefined, 'a shift at the start of a span is not part of it');
    t.equal(zone.shift(moment - span, moment - 1), undefined);
    t.same(zone.shift(moment - 2 * span, moment + 2 * span), shift, 'a shift within several spans is found');
    t.same(zone.shiftNear(moment + 23 * hour), shift);
    t.equal(zone.shiftNear(moment + 25 * hour), undefined);
  }
});

t.test('named zones have offsets of whole hours, halves, quarters and seconds', async (t) => {
  const rows: readonly [string, string, number][] = [
    ['UTC', '2026-07-01T00:00Z', 0],
    ['Europe/London', '2026-01-01T00:00Z', 0],
    ['Europe/Berlin', '2026-07-01T00:00Z', 2],
    ['America/St_Johns', '2026-01-01T00:00Z', -3.5],
    ['Asia/Kathmandu', '2026-01-01T00:00Z', 5.75],
    ['Australia/Lord_Howe', '2026-07-01T00:00Z', 10.5],
    ['Pacific/Kiritimati', '2026-01-01T00:00Z', 14],
    ['Africa/Monrovia', '1971-01-01T00:00Z', -(44 * 60 + 30) / 3_600],
  ];
  for (const [name, time, hours] of rows) {
    const read = zoneNamed(name);
    t.equal('value' in read && read.value.offset(at(time)), hours * hour, name);
  }
  const [one, other] = [zoneNamed('Europe/Berlin'), zoneNamed('Europe/Berlin')];
  t.ok('value' in one && 'value' in other && one.value === other.value, 'a zone is cached');
});
