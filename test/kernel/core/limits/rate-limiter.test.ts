import t from 'tap';
import { RateLimiter } from '../../../../kernel/core/limits/rate-limiter.js';

t.test('uses above the limit of each key are rejected with the time to wait', async (t) => {
  const allowance = new RateLimiter({ per_minute: 2, what: 'calls' });
  allowance.use('a');
  allowance.use('a');
  t.throws(() => allowance.use('a'), {
    code: 'rate_limited',
    status: 429,
    message: 'More than 2 calls a minute; try again in 60 s',
    retry_after: 60,
  });
  t.doesNotThrow(() => allowance.use('b'));
});

t.test('the least recently used key is forgotten to limit memory', async (t) => {
  const allowance = new RateLimiter({ per_minute: 1, what: 'calls' });
  allowance.use(0);
  for (let n = 1; n < 10_000; n += 1) allowance.use(n);
  t.throws(() => allowance.use(1), { code: 'rate_limited' });
  allowance.use(10_000);
  t.doesNotThrow(() => allowance.use(0));
  t.throws(() => allowance.use(9_999), { code: 'rate_limited' });
});

t.test('counting a use costs far less than a request', async (t) => {
  const allowance = new RateLimiter({ per_minute: 1_000_000_000, what: 'calls' });
  const uses = 200_000;
  const members = 1_000;
  const run = () => {
    const before = process.cpuUsage();
    for (let n = 0; n < uses; n += 1) allowance.use(n % members);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / uses;
  };
  run();
  const best = Math.min(run(), run(), run());
  t.ok(best < 1, `${best.toFixed(3)} µs each`);
});
