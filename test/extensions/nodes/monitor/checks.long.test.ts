import t from 'tap';
import { skipWithout } from '../../../helpers/parts.js';
import { checkOf } from '../../../kernel/platform/checks/world.js';
import { becomes, startWorld } from '../world.js';

t.test(
  'the check of an offline node is red since it went offline, with reason and fix',
  { skip: skipWithout('docker', 'registry') },
  async (t) => {
    const { admin, docker, engine, platform } = await startWorld(t);
    const made = await Promise.all(['one', 'two'].map((name) => admin.nodes.create({ name, respond_async: false })));
    const [one, two] = made.map(({ id }) => id) as [number, number];
    t.match(await checkOf(platform, 'nodes'), { ok: true, message: 'All 2 work nodes are online', since: null });

    await t.test('the check names a node whose container is missing', async (t) => {
      await docker.getContainer((await admin.nodes.get({ id: one })).container_id ?? '').remove({ force: true });
      const { since, reason } = await becomes(admin, one, 'error', 60_000);
      const message = `Of 2 work nodes 'one' (${one}) is error: ${reason}`;
      const fix = `delete it with: platform node rm ${one} --yes; and create it again with: platform node create <name>`;
      t.match(await checkOf(platform, 'nodes'), { ok: false, message, since, fix });
      await admin.nodes.delete({ id: one, force: true });
    });

    await t.test('the checks name a node whose engine was stopped', async (t) => {
      await engine.stop();
      const { since } = await becomes(admin, two, 'offline', 90_000);
      const fix = /^start it with: sudo systemctl start docker/;
      t.match(await checkOf(platform, 'nodes'), { ok: false, message: /^Of 1 work nodes 'two' \(\d+\) is offline: /, since });
      t.match(await checkOf(platform, 'engine'), { ok: false, message: /can't be reached.*1 work node is on it/, fix });
    });
  },
);
