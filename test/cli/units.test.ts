import t from 'tap';
import { duration, grouped, size } from '../../cli/units.js';

t.test('amounts read as people say them', (t) => {
  t.strictSame([0, 999, 1_000, 1_449_000, 123_456_789, 5e15].map(size), ['0 bytes', '999 bytes', '1.0 kB', '1.4 MB', '123 MB', '5000 TB']);
  t.strictSame([0, 59.9, 60, 11_520, 90_000, 86_400 * 3].map(duration), ['0 s', '59 s', '1 min', '3 h 12 min', '1 d 1 h', '3 d']);
  t.equal(grouped(1_234_567), '1,234,567');
  t.end();
});
