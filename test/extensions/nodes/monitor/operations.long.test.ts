import t from 'tap';
import type { Health, Stats } from '../../../../extensions/nodes/contract.js';
import { until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { adminPassword, callerOf } from '../../../helpers/platform.js';
import { checkOf } from '../../../kernel/platform/checks/world.js';
import { becomes, clientOf, startOn, startWorld } from '../world.js';

t.test(
  'operations return the health and figures of a node, and the metrics of all',
  { skip: skipWithout('docker', 'registry') },
  async (t) => {
    const { admin, docker, engine, platform } = await startWorld(t);
    const { kernel, url } = platform;
    const { id, container_id } = await admin.nodes.create({ name: 'box', config: { memory_limit: '64m' }, respond_async: false });
    const login = { username: 'admin', password: adminPassword };
    const { access_token: token } = (await kernel.invoke('auth.login', login, callerOf({ member_id: 0 }))).body as { access_token: string };
    const get = async (path: string) => {
      const answer = await fetch(`${url}/api/remote-nodes/${id}/${path}`, { headers: { authorization: `Bearer ${token}` } });
      return { status: answer.status, body: (await answer.json()) as Health & Stats & { code: string } };
    };
    const check = (code = 'engine') => checkOf(platform, code);

    await t.test('both transports return the same', async (t) => {
      const health = await admin.nodes.health({ id });
      t.match(health, { status: 'healthy', reason: '' });
      t.match(await get('health'), { status: 200, body: { status: 'healthy', reason: '', since: health.since } });
      const stats = await admin.nodes.stats({ id });
      t.match(stats, { memory_limit_mb: 64 });
      t.ok(stats.memory_usage_mb > 0 && stats.memory_usage_mb < 64 && stats.cpu_usage_percent < 50);
      t.match(await get('stats'), { status: 200, body: { memory_limit_mb: 64, disk_usage_mb: stats.disk_usage_mb } });
    });

    await t.test('nodes are counted by status', async (t) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      t.match(text, /^platform_nodes_online 1$/m);
      t.match(text, /^platform_nodes_error 0$/m);
      t.match(await check(), { ok: true, message: `The local engine answers at ${engine.url}. 1 work node is on it` });
      t.match(await check('nodes'), { ok: true, message: 'The work node is online' });
    });

    await t.test("a clock that differs from the engine's is red", async (t) => {
      t.match(await check('engine_clock'), { ok: true, message: 'The clocks of the local engine and of this machine agree' });
      const slow = { now: () => Date.now() - 600_000 };
      const other = await startOn(t, engine, { listen: false, background: false, clock: slow });
      t.match(await checkOf(other, 'engine_clock'), {
        ok: false,
        message: /^The clock of the local engine is 600 s ahead of this machine's/,
        fix: /sudo timedatectl set-ntp true/,
      });
    });

    await t.test('a killed container soon runs again', async (t) => {
      // From the moment on when this instance watches.
      await until(
        () => admin.nodes.get({ id }),
        ({ last_heartbeat }) => last_heartbeat !== null,
        30_000,
      );
      const before = (await docker.getContainer(container_id ?? '').inspect()).State.StartedAt;
      await docker.getContainer(container_id ?? '').kill();
      await until(
        async () => (await docker.getContainer(container_id ?? '').inspect()).State,
        ({ Running, StartedAt }) => Running && StartedAt !== before,
        30_000,
      );
      await becomes(admin, id, 'online');
      t.equal((await admin.nodes.health({ id })).status, 'healthy');
    });

    await t.test('a node without its engine is unhealthy, and members do not learn the cause', async (t) => {
      await engine.stop();
      const health = await get('health');
      t.match(health, { status: 200, body: { status: 'unhealthy', uptime_seconds: 0 } });
      t.match(await get('stats'), { status: 503, body: { code: 'node_offline' } });
      const ada = clientOf(platform, callerOf({ member_id: 2, username: 'ada', role: 'member' }));
      t.match(await ada.nodes.health({ id }), { status: 'unhealthy', reason: '' });
      await t.rejects(ada.nodes.stats({ id }), { code: 'node_offline', message: /^Work node 'box' (?:doesn't answer|is offline)$/ });
      // An answer of the engine counts for a few seconds.
      const red = await until(
        () => check(),
        (found) => found?.ok === false,
      );
      t.match(red, {
        ok: false,
        message: /can't be reached.*1 work node is on it/,
        fix: /^start it with: sudo systemctl start docker; or .*PLATFORM_DOCKER_HOST=/,
      });
      t.equal(await check('engine_clock'), undefined, 'no clock is reported');
      await admin.nodes.delete({ id, force: true });
      t.match(await check(), { ok: false, message: /No work nodes are on it/ }, 'the engine is the one of the settings');
      t.equal(await check('nodes'), undefined);
    });
  },
);
