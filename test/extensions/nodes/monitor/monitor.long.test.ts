import type Docker from 'dockerode';
import t from 'tap';
import { Engines } from '../../../../extensions/nodes/engines/engines.js';
import type { StoredNode } from '../../../../extensions/nodes/store/stored.js';
import { eachDatabase } from '../../../helpers/databases.js';
import { images, startDocker } from '../../../helpers/docker/engine.js';
import { becomes, until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { admin, openSqlite, openWorld, pullImages, run } from './world.js';

t.test('nodes on a real engine are monitored', { skip: skipWithout('docker', 'registry') }, async (t) => {
  const engine = await startDocker(t);
  await pullImages(engine);
  const container = (id: string) => engine.docker.getContainer(id);

  await t.test('the next watcher notices a missed start', async (t) => {
    const world = await openWorld(t, await openSqlite(t), engine);
    const one = await world.running('one');
    await container(one.container_id).restart({ t: 0 });
    const { State } = await container(one.container_id).inspect();
    t.not(State.StartedAt, one.started_at);
    await world.monitor().renewWatch();
    await world.becomes(one.id, { status: 'online', started_at: State.StartedAt });
  });

  await t.test('events of containers are reported by their kind', async (t) => {
    const world = await openWorld(t, await openSqlite(t), engine);
    const { changed, incidents, nodes } = world;
    const told = () => changed.splice(0).map(({ id, status, reason_code }) => ({ id, status, reason_code }));
    const one = await world.running('one');
    const id = one.id;
    const monitor = world.monitor();
    await monitor.renewWatch();
    await until(
      () => world.samples.of(one.container_id).length,
      (count) => count > 0,
    );
    t.match(await nodes.find(id), { status: 'online', misses: 0, last_heartbeat: /Z$/ }, 'a new watcher probes at once');

    await t.test('a container killed from outside is noticed at once and restarted', async (t) => {
      await container(one.container_id).kill();
      await until(
        () => changed.length,
        (count) => count >= 2,
      );
      const since = await world.becomes(id, { status: 'online', reason: '', reason_code: '' });
      t.not(since.started_at, one.started_at);
      t.match(changed[0]?.reason, /^Its container ended with exit code 137$/);
      t.strictSame(told(), [
        { id, status: 'offline', reason_code: 'container_exited' },
        { id, status: 'online', reason_code: '' },
      ]);
      t.equal((await container(one.container_id).inspect()).State.Running, true);
    });

    await t.test('a container restarted by its engine is reported, and the node stays online', async (t) => {
      incidents.length = 0;
      const two = await world.running('two', {
        Cmd: ['sh', '-c', 'test -e /tmp/ran || { touch /tmp/ran; sleep 2; exit 3; }; sleep 100000'],
      });
      await until(
        () => incidents,
        (all) => all.length > 0,
      );
      t.match(incidents, [{ id: two.id, name: 'two', code: 'died', message: /'two' ended and was started again by its engine/ }]);
      await until(
        () => nodes.find(two.id),
        (node) => node?.started_at !== two.started_at,
      );
      t.strictSame(told(), []);
    });

    await t.test('a process killed for memory is reported although the container runs on', async (t) => {
      incidents.length = 0;
      const small = await world.running('small', { HostConfig: { Memory: 16 * 1_048_576, MemorySwap: 16 * 1_048_576 } });
      t.equal(await run(engine, small.container_id, 'sh', '-c', 'tail /dev/zero; exit $?'), 137);
      await until(
        () => incidents,
        (all) => all.length > 0,
      );
      t.match(incidents, [{ id: small.id, code: 'out_of_memory', message: /'small' ran out of its memory of 512m/ }]);
      t.equal((await nodes.find(small.id))?.status, 'online');
    });

    await t.test('a container that ends for lack of memory is offline for that reason', async (t) => {
      incidents.length = 0;
      const Cmd = ['sh', '-c', 'test -e /tmp/ran || { touch /tmp/ran; sleep 1; exec tail /dev/zero; }; sleep 100000'];
      const limits = { Memory: 16 * 1_048_576, MemorySwap: 16 * 1_048_576, RestartPolicy: { Name: 'no' } };
      const full = await world.running('full', { Cmd, HostConfig: limits });
      await until(
        () => changed.length,
        (count) => count >= 2,
      );
      t.match(told(), [
        { id: full.id, status: 'offline', reason_code: 'out_of_memory' },
        { id: full.id, status: 'online', reason_code: '' },
      ]);
      t.match(incidents, [{ id: full.id, code: 'out_of_memory' }], 'the incident is reported once, and not as a crash too');
    });

    await t.test('a container that always ends is not restarted', async (t) => {
      const short = await world.running('short', { Cmd: ['sh', '-c', 'sleep 0.3; exit 4'], HostConfig: { RestartPolicy: { Name: 'no' } } });
      const { reason } = await world.becomes(short.id, { status: 'error', reason_code: 'container_exited' });
      t.match(reason, /exit code 4, and keeps doing so after each restart/);
      t.equal(changed.filter((change) => change.status === 'online').length, 3, 'the container was restarted three times');
      await monitor.round();
      t.equal((await nodes.find(short.id))?.status, 'error', 'the container is not restarted again');
      changed.length = 0;
    });

    await t.test("the result of an image's health check is reported once", async (t) => {
      incidents.length = 0;
      const ward = await world.running('ward', { Image: images.watched });
      const health = async () => {
        const { status, reason } = await world.vitals.health((await nodes.find(ward.id)) ?? ward, admin);
        return { status, reason };
      };
      t.match(await health(), { status: 'starting', reason: /has not passed yet/ });
      await becomes(t, health, { status: 'healthy', reason: '' });
      await run(engine, ward.container_id, 'touch', '/tmp/ill');
      t.match(await until(health, ({ status }) => status === 'unhealthy'), { reason: /own check has failed \d+ times/ });
      await until(
        () => incidents,
        (all) => all.length > 0,
      );
      await monitor.round();
      t.match(incidents, [{ id: ward.id, code: 'unhealthy' }]);
      t.equal(incidents.length, 1);
      await run(engine, ward.container_id, 'rm', '/tmp/ill');
      await becomes(t, health, { status: 'healthy', reason: '' });
    });

    await t.test('a node whose container is paused goes offline', async (t) => {
      changed.length = 0;
      const still = await world.running('still');
      await container(still.container_id).pause();
      for (let n = 0; n < 2; n += 1) await monitor.round();
      t.match(await nodes.find(still.id), { status: 'online', misses: 2 }, 'the node is not offline yet');
      await monitor.round();
      t.match(told(), [{ id: still.id, status: 'offline', reason_code: 'container_paused' }]);
      await container(still.container_id).unpause();
      await monitor.round();
      t.match(told(), [{ id: still.id, status: 'online' }]);
    });

    await t.test('a container that somebody removes is an error', async (t) => {
      const lost = await world.running('lost');
      await container(lost.container_id).remove({ force: true });
      const { reason } = await world.becomes(lost.id, { status: 'error', reason_code: 'container_missing' });
      t.match(reason, /delete the node and create it again/);
    });

    await t.test('nodes being created or removed are not monitored', async (t) => {
      const leaving = await world.running('leaving');
      await world.changes.move(leaving.id, { to: { status: 'removing' } });
      changed.length = 0;
      await container(leaving.container_id).remove({ force: true });
      await monitor.round();
      t.equal((await nodes.find(leaving.id))?.status, 'removing');
      t.strictSame(told(), []);
    });

    await t.test('an engine is queried once for all its nodes', async (t) => {
      const engines = new Engines({ local: engine.url });
      t.teardown(() => engines.dispose());
      const docker = await engines.at({ host: '', host_key: '', secrets: {} });
      const asked: string[] = [];
      const { dial } = docker.modem as { dial: (options: { path: string }, ...rest: unknown[]) => void };
      Object.assign(docker.modem, {
        dial(options: { path: string }, ...rest: unknown[]) {
          asked.push(options.path.replace(/[0-9a-f]{64}/, 'id').split('?')[0] ?? '');
          return dial.call(docker.modem, options, ...rest);
        },
      });
      await monitor.dispose();
      const another = world.monitor({ docker: async () => docker });
      await another.renewWatch();
      await another.round();
      asked.length = 0;
      await another.round();
      t.equal(asked.filter((path) => path === '/containers/json').length, 1);
      t.ok(asked.filter((path) => path === '/containers/id/stats').length >= 5);
      t.strictSame([...new Set(asked)].sort(), ['/containers/id/stats', '/containers/json']);
    });
    for (const { id } of await nodes.all()) await nodes.delete(id);
  });

  await eachDatabase(t, async (t, data) => {
    const world = await openWorld(t, data, engine);
    const { changed, nodes } = world;

    await t.test('without events a probe notices a killed container', async (t) => {
      const one = await world.running('one');
      const engines = new Engines({ local: engine.url });
      t.teardown(() => engines.dispose());
      const deaf = Object.assign(await engines.at({ host: '', host_key: '', secrets: {} }), {
        getEvents: () => Promise.reject(new Error('no events')),
      }) as Docker;
      const monitor = world.monitor({ docker: async () => deaf });
      await monitor.renewWatch();
      await monitor.round();
      await container(one.container_id).kill();
      await until(
        () => container(one.container_id).inspect(),
        ({ State }) => !State.Running,
      );
      t.equal((await nodes.find(one.id))?.status, 'online', 'no event has arrived yet');
      await monitor.round();
      t.match(changed, [
        { id: one.id, status: 'offline', reason_code: 'container_exited', previous: 'online' },
        { id: one.id, status: 'online', previous: 'offline' },
      ]);
      await monitor.dispose();
      for (const { id } of await nodes.all()) await nodes.delete(id);
    });

    await t.test('a hanging container delays neither its neighbours nor other engines', async (t) => {
      const [stuck, beside] = [await world.running('stuck'), await world.running('beside')];
      const engines = new Engines({ local: engine.url });
      t.teardown(() => engines.dispose());
      const real = await engines.at({ host: '', host_key: '', secrets: {} });
      const getEvents = () => Promise.reject(new Error('no events'));
      const deaf = Object.assign(Object.create(real) as Docker, { getEvents });
      const released: (() => void)[] = [];
      const never = () => new Promise<never>((_, reject) => released.push(() => reject(new Error('it hangs'))));
      const hung = Object.assign(Object.create(real) as Docker, {
        getEvents,
        getContainer: (id: string) => (id === stuck.container_id ? { inspect: never, stats: never } : real.getContainer(id)),
      });
      const other = await world.running('other');
      const monitor = world.monitor({ probe_ms: 1_000, docker: async ({ name }) => (name === 'other' ? deaf : hung) });
      for (const { container_id } of [stuck, beside, other]) {
        await container(container_id).kill();
        await until(
          () => container(container_id).inspect(),
          ({ State }) => !State.Running,
        );
      }
      await monitor.renewWatch();
      await monitor.round();
      const started = async (node: StoredNode) => (await nodes.find(node.id))?.started_at !== node.started_at;
      t.strictSame([await started(stuck), await started(beside), await started(other)], [false, true, true]);
      await container(other.container_id).kill();
      await until(
        () => container(other.container_id).inspect(),
        ({ State }) => !State.Running,
      );
      changed.length = 0;
      await monitor.round();
      t.match(changed, [
        { id: other.id, status: 'offline' },
        { id: other.id, status: 'online' },
      ]);
      t.equal(released.length, 1, 'a slow engine is not queried again while it answers');
      for (const release of released) release();
      await until(
        () => nodes.find(stuck.id),
        (node) => node?.misses === 1,
      );
      await monitor.dispose();
      for (const { id } of await nodes.all()) await nodes.delete(id);
    });

    await t.test('an unavailable engine takes its nodes offline, and its return restores them', async (t) => {
      const two = await world.running('two');
      await run(engine, two.container_id, 'sh', '-c', 'echo kept > /kept');
      const monitor = world.monitor();
      await monitor.renewWatch();
      await monitor.round();
      await engine.stop();
      // The engine has said that it ends its containers, or has not: at the latest the third probe knows.
      for (let n = 0; n < 3; n += 1) await monitor.round();
      const away = await nodes.find(two.id);
      t.match(away, { status: 'offline', container_id: two.container_id });
      t.match(await world.vitals.health(away ?? two, admin), { status: 'unhealthy', uptime_seconds: 0, reason: /\w/ });
      await t.rejects(world.vitals.stats(away ?? two, admin), { code: 'node_offline', status: 503 });

      await engine.start();
      await until(
        async () => {
          await monitor.round();
          return nodes.find(two.id);
        },
        (node) => node?.status === 'online',
        20_000,
      );
      t.equal(await run(engine, two.container_id, 'grep', '-q', 'kept', '/kept'), 0);
      // The events are heard again too.
      changed.length = 0;
      await container(two.container_id).kill();
      await until(
        () => changed.length,
        (count) => count >= 2,
      );
      t.match(changed, [{ status: 'offline', reason_code: 'container_exited' }, { status: 'online' }]);
      await monitor.dispose();
    });

    await t.test('one of several instances monitors, and another takes over', async (t) => {
      const [first, second] = [world.monitor({}, 300), world.monitor({}, 300)];
      await first.renewWatch();
      await second.renewWatch();
      t.strictSame([first.isWatcher, second.isWatcher], [true, false]);
      await first.dispose();
      await second.renewWatch();
      t.equal(second.isWatcher, true, 'the lease was released');

      const third = world.monitor({}, 300);
      await third.renewWatch();
      t.equal(third.isWatcher, false);
      await until(async () => {
        await third.renewWatch();
        return third.isWatcher;
      }, Boolean);
      t.pass('the lease was not renewed, so its holder is dead');
      await second.renewWatch();
      t.equal(second.isWatcher, false);
    });
  });
});
