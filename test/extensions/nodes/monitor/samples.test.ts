import type Docker from 'dockerode';
import t from 'tap';
import { Samples } from '../../../../extensions/nodes/monitor/samples.js';
import type { RawStats } from '../../../../extensions/nodes/monitor/usage.js';

const raw = (total_usage: number): RawStats => ({
  cpu_stats: { cpu_usage: { total_usage }, system_cpu_usage: 1, online_cpus: 1 },
  memory_stats: { usage: 1, limit: 2 },
});

/** An engine whose containers have used so much. */
const engine = (stats: () => RawStats) => ({ getContainer: () => ({ stats: async () => stats() }) }) as unknown as Docker;

t.test('the last samples of a container are kept until it restarts', async (t) => {
  let now = 0;
  const samples = new Samples(() => now);
  const take = (used: RawStats) =>
    samples.take(
      engine(() => used),
      'a',
      AbortSignal.timeout(60_000),
    );
  for (now = 1; now <= 125; now += 1) await take(raw(now));
  t.strictSame([samples.of('a').length, samples.of('a')[0]?.at, samples.of('a').at(-1)?.at], [120, 6, 125]);

  t.equal(await take({}), undefined, 'a stopped container gives no sample');
  t.equal(samples.of('a').length, 120);
  await take(raw(3));
  t.strictSame(
    samples.of('a').map(({ cpu }) => cpu),
    [3],
    'its counters were reset',
  );
});

t.test('the most recently sampled containers are kept', async (t) => {
  const samples = new Samples(() => 0);
  const take = (id: string) =>
    samples.take(
      engine(() => raw(1)),
      id,
      AbortSignal.timeout(60_000),
    );
  for (let n = 0; n < 2_000; n += 1) await take(`${n}`);
  await take('0');
  await take('one more');
  t.strictSame([samples.of('0').length, samples.of('1').length, samples.of('2').length, samples.of('one more').length], [2, 0, 1, 1]);
});

t.test('no sample of an unwatched container is kept', async (t) => {
  const samples = new Samples(() => 0);
  for (const id of ['a', 'b'])
    await samples.take(
      engine(() => raw(1)),
      id,
      AbortSignal.timeout(60_000),
    );
  samples.retain(new Set(['b']));
  t.strictSame([samples.of('a').length, samples.of('b').length], [0, 1]);
});
