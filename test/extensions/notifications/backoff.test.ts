import t from 'tap';
import { retryAfter } from '../../../extensions/notifications/deliveries/work.js';

const waits = (random: number) => Array.from({ length: 8 }, (_, index) => retryAfter(index + 1, { random }) as number);

t.test('a delivery is retried eight times over half an hour with doubled waits', async (t) => {
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  t.same(
    waits(0.5),
    [7, 14, 28, 56, 112, 224, 448, 896].map((seconds) => seconds * 1_000),
  );
  t.ok(Math.abs(sum(waits(0.5)) / 60_000 - 30) < 1, 'the waits add up to half an hour');
  t.same([waits(0)[0], waits(1)[0]], [6_300, 7_700], 'the jitter is a tenth');
  t.equal(retryAfter(9, { random: 0.5 }), undefined);
});

t.test('the receiver may request a longer wait, up to half an hour, but not a shorter one', async (t) => {
  t.equal(retryAfter(1, { random: 0.5, retry_after_ms: 60_000 }), 60_000);
  t.equal(retryAfter(3, { random: 0.5, retry_after_ms: 1_000 }), 28_000);
  t.equal(retryAfter(1, { random: 0.5, retry_after_ms: 86_400_000 }), 30 * 60_000);
  t.equal(retryAfter(9, { random: 0.5, retry_after_ms: 1 }), undefined);
});
