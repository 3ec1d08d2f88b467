import t from 'tap';
import { cpuPercent, mebibytes, type RawStats, sampleOf } from '../../../../extensions/nodes/monitor/usage.js';

const raw = (change: { cpu?: object; memory?: object } = {}): RawStats => ({
  cpu_stats: { cpu_usage: { total_usage: 1_000 }, system_cpu_usage: 10_000, online_cpus: 4, ...change.cpu },
  memory_stats: { usage: 3_000_000, limit: 8_388_608, stats: {}, ...change.memory },
});

t.test('memory usage excludes reclaimable page cache, with both cgroup versions', async (t) => {
  const used = (stats: Record<string, number>) => sampleOf(raw({ memory: { stats } }), 0)?.memory;
  t.equal(used({ total_inactive_file: 1_000_000, inactive_file: 5 }), 2_000_000);
  t.equal(used({ inactive_file: 1_000_000 }), 2_000_000);
  t.equal(used({}), 3_000_000);
  t.equal(used({ inactive_file: 4_000_000 }), 3_000_000, 'a cache larger than the usage is ignored');
});

t.test("processor usage is the container's share of the host's time, times its processors", async (t) => {
  const sample = (cpu: object) => sampleOf(raw({ cpu }), 0) ?? t.fail('there is no sample');
  const before = sample({});
  if (typeof before === 'boolean') return;
  const after = (cpu: object) => {
    const now = sample(cpu);
    return typeof now === 'boolean' ? undefined : cpuPercent(before, now);
  };
  t.equal(after({ cpu_usage: { total_usage: 1_500 }, system_cpu_usage: 12_000 }), 100);
  t.equal(after({ cpu_usage: { total_usage: 1_000 }, system_cpu_usage: 12_000 }), 0);
  t.equal(after({ cpu_usage: { total_usage: 10 }, system_cpu_usage: 12_000 }), 0, 'the container was restarted');
  t.equal(after({ cpu_usage: { total_usage: 1_500 }, system_cpu_usage: 10_000 }), 0, 'no time has passed');
});

t.test('processors are counted from a list if the engine gives no number', async (t) => {
  const cpus = (cpu: object) => sampleOf(raw({ cpu }), 0)?.cpus;
  t.equal(cpus({ online_cpus: 0, cpu_usage: { total_usage: 1, percpu_usage: [1, 2] } }), 2);
  t.equal(cpus({ online_cpus: undefined, cpu_usage: { total_usage: 1 } }), 1);
});

t.test('a stopped container has no usage', async (t) => {
  t.equal(sampleOf({}, 0), undefined);
  t.equal(sampleOf(raw({ memory: { usage: undefined } }), 0), undefined);
});

t.test('MiB are rounded to two digits', async (t) => {
  t.equal(mebibytes(1_048_576 * 1.2345), 1.23);
});
