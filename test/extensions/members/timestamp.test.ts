import t from 'tap';
import { readTimestamp } from '../../../extensions/members/timestamp.js';

t.test('a time without a zone is in UTC, whatever the machine’s zone', async (t) => {
  const times = {
    '2030-05-06T07:08:09.123Z': '2030-05-06T07:08:09.123Z',
    '2030-05-06T07:08:09': '2030-05-06T07:08:09.000Z',
    '2030-05-06 07:08': '2030-05-06T07:08:00.000Z',
    '2030-05-06T07:08+02:00': '2030-05-06T05:08:00.000Z',
    '2030-05-06': '2030-05-06T00:00:00.000Z',
  };
  for (const [text, time] of Object.entries(times)) t.equal(readTimestamp(text), time, text);
});

t.test('rejects invalid times', async (t) => {
  for (const text of ['', 'tomorrow', '2030-13-01', '2030-02-01T25:00', '1893456000', '2030-05-06T07:08:09 PST'])
    t.equal(readTimestamp(text), undefined, text);
});
