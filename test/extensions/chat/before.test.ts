import t from 'tap';
import { parseBefore } from '../../../extensions/chat/before.js';

t.test('a time is normalised to the stored form', async (t) => {
  const cases: [string, string][] = [
    ['2030-01-02T03:04:05.678Z', '2030-01-02T03:04:05.678Z'],
    ['2030-01-02T03:04:05.678', '2030-01-02T03:04:05.678Z'],
    ['2030-01-02T03:04:05', '2030-01-02T03:04:05.000Z'],
    ['2030-01-02 03:04', '2030-01-02T03:04:00.000Z'],
    ['2030-01-02', '2030-01-02T00:00:00.000Z'],
    ['2030-01-02T03:04:05+02:00', '2030-01-02T01:04:05.000Z'],
    ['2030-01-02T03:04:05-0230', '2030-01-02T05:34:05.000Z'],
    ['2030-01-02T03:04:05.678000', '2030-01-02T03:04:05.678Z'],
    ['2030-01-02T03:04:05.678001', '2030-01-02T03:04:05.679Z'],
    ['2030-01-02T03:04:05.6', '2030-01-02T03:04:05.600Z'],
  ];
  for (const [given, kept] of cases) t.equal(parseBefore(given), kept, given);
});

t.test('an invalid time is rejected by name', async (t) => {
  for (const given of ['', 'yesterday', '2030', '2030-13-01', '2030-01-02T25:00', '1893553445', "2030-01-02'--"]) {
    t.throws(() => parseBefore(given), { code: 'invalid_input', details: [{ path: 'before' }] }, given);
  }
});
