import t from 'tap';
import { Emissions } from '../../../../kernel/platform/sandbox/emissions.js';
import { emits_per_minute, emitted_length, emitted_per_minute } from '../../../../kernel/platform/sandbox/limits.js';

t.test('the size of an event, and the number and size of events a minute, are limited', (t) => {
  t.throws(() => new Emissions().count('x'.repeat(emitted_length - 1)), { code: 'payload_too_large' });
  const large = new Emissions();
  const text = 'x'.repeat(emitted_length - 2);
  for (let n = 0; n < emitted_per_minute / emitted_length; n += 1) large.count(text);
  t.throws(() => large.count(text), { code: 'rate_limited' });
  const many = new Emissions();
  for (let n = 0; n < emits_per_minute; n += 1) many.count(undefined);
  t.throws(() => many.count(undefined), { code: 'rate_limited', retry_after: 60 });
  t.end();
});
