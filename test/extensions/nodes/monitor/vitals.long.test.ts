import t from 'tap';
import { startDocker } from '../../../helpers/docker/engine.js';
import { until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { admin, openSqlite, openWorld, pullImages, run } from './world.js';

/** As the engine's client reckons it, from an answer that has the look before in it. */
interface Told {
  cpu_stats: { cpu_usage: { total_usage: number }; system_cpu_usage: number; online_cpus: number };
  precpu_stats: Told['cpu_stats'];
  memory_stats: { usage: number; limit: number; stats: Record<string, number> };
}

function percentOf({ cpu_stats, precpu_stats }: Told): number {
  const cpu = cpu_stats.cpu_usage.total_usage - precpu_stats.cpu_usage.total_usage;
  return (cpu / (cpu_stats.system_cpu_usage - precpu_stats.system_cpu_usage)) * cpu_stats.online_cpus * 100;
}

t.test("a node's status and usage are returned", { skip: skipWithout('docker', 'registry') }, async (t) => {
  const engine = await startDocker(t);
  await pullImages(engine);
  const world = await openWorld(t, await openSqlite(t), engine);
  const { vitals } = world;

  await t.test("the figures equal the engine's", async (t) => {
    const limits = { Memory: 256 * 1_048_576, MemorySwap: 256 * 1_048_576, NanoCpus: 500_000_000 };
    const busy = await world.running('busy', {
      // 20 MiB that are kept, 40 MiB of page cache, 8 MiB in its layer, and half a processor.
      Cmd: [
        'sh',
        '-c',
        'dd if=/dev/zero of=/cache bs=1M count=8; cat /cache > /dev/null; x=$(head -c 20000000 /dev/zero | tr "\\0" x); while :; do :; done',
      ],
      HostConfig: limits,
    });
    const told = async (): Promise<Told> =>
      (await engine.docker.getContainer(busy.container_id).stats({ stream: false })) as unknown as Told;
    await until(told, ({ memory_stats: { usage } }) => usage > 20_000_000);
    const looks = async () => {
      const [own, theirs] = await Promise.all([vitals.stats(busy, admin), told()]);
      return { own, theirs, percent: percentOf(theirs) };
    };
    // Each has its own moment, between which a machine with more to do gives the container more or less.
    const { own, theirs, percent } = await until(looks, ({ own, percent }) => Math.abs(own.cpu_usage_percent - percent) < 15);
    t.ok(own.cpu_usage_percent > 1 && own.cpu_usage_percent < 65, `${own.cpu_usage_percent} %, as ${percent} %: at most half a processor`);
    const { usage, stats } = theirs.memory_stats;
    const memory = (usage - (stats.total_inactive_file ?? stats.inactive_file ?? 0)) / 1_048_576;
    t.ok(Math.abs(own.memory_usage_mb - memory) < 4, `${own.memory_usage_mb} MiB for ${memory} MiB`);
    t.equal(own.memory_limit_mb, 256);
    t.ok(own.disk_usage_mb >= 8 && own.disk_usage_mb < 9, `${own.disk_usage_mb} MiB in its layer`);

    await run(engine, busy.container_id, 'dd', 'if=/dev/zero', 'of=/more', 'bs=1M', 'count=8');
    t.equal((await vitals.stats(busy, admin)).disk_usage_mb, own.disk_usage_mb, 'the layer is not measured each time');
  });

  await t.test('each status has its health', async (t) => {
    const one = await world.running('one');
    const health = await vitals.health(one, admin);
    t.match(health, { status: 'healthy', reason: '', since: one.since });
    t.ok(health.uptime_seconds < 10);
    const started_at = Date.now() - 5_000;
    await until(
      () => vitals.health(one, admin),
      ({ uptime_seconds }) => uptime_seconds >= Math.floor((Date.now() - started_at - 5_000) / 1_000) && uptime_seconds >= 1,
    );
    const as = async (change: Partial<typeof one>) => vitals.health({ ...one, ...change }, admin);
    t.match(await as({ status: 'creating' }), { status: 'starting', uptime_seconds: 0, reason: 'Its container is being created' });
    t.match(await as({ status: 'offline', reason: 'It is away' }), { status: 'unhealthy', uptime_seconds: 0, reason: 'It is away' });
    t.match(await as({ status: 'error' }), { status: 'unhealthy', reason: 'It is error' });
    await t.rejects(as({ status: 'removing' }), { code: 'node_removing', status: 409 });
    await t.rejects(vitals.stats({ ...one, status: 'removing' }, admin), { code: 'node_removing', status: 409 });
    await t.rejects(vitals.stats({ ...one, status: 'creating', container_id: null }, admin), { code: 'node_offline', status: 503 });

    const away = { ...one, status: 'offline', reason: 'Nobody answers at tcp://10.0.0.1' } as const;
    t.equal((await vitals.health(away, { role: 'member', scopes: 'all' })).reason, '', 'members do not learn the reason');
    await t.rejects(vitals.stats(away, { role: 'member', scopes: 'all' }), { code: 'node_offline', message: "Work node 'one' is offline" });
    await t.rejects(vitals.stats(away, admin), { code: 'node_offline', message: /is offline: Nobody answers/ });

    await engine.docker.getContainer(one.container_id).stop({ t: 0 });
    t.match(
      await as({}),
      { status: 'unhealthy', uptime_seconds: 0, reason: /ended with exit code/ },
      'the health is known before any probe',
    );
    await t.rejects(vitals.stats(one, admin), { code: 'node_offline', message: /does not run/ });
    await engine.docker.getContainer(one.container_id).remove();
    t.match(await as({}), { status: 'unhealthy', reason: /No such container/ });
  });
});
