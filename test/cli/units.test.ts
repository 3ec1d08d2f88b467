import t from 'tap';
import { duration, grouped } from '../../cli/units.js';
import { size } from '../../kernel/client/size.js';

t.test('sizes, durations and large numbers are formatted for people', (t) => {
  t.strictSame([0, 1_023, 1_024, 1_520_000, 129_453_000, 5.5e15].map(size), ['0 B', '1023 B', '1.0 KiB', '1.4 MiB', '123 MiB', '5002 TiB']);
  t.strictSame([0, 59.9, 60, 11_520, 90_000, 86_400 * 3].map(duration), ['0 s', '59 s', '1 min', '3 h 12 min', '1 d 1 h', '3 d']);
  t.equal(grouped(1_234_567), '1,234,567');
  t.end();
});
