import t from 'tap';
import { startCluster } from '../../helpers/cluster.js';
import { becomes, until } from '../../helpers/eventually.js';
import { skipWithout } from '../../helpers/parts.js';
import { callerOf, type TestPlatform } from '../../helpers/platform.js';
import { hashOf, pluginZip } from '../../kernel/core/plugins/bundle.js';
import { codeOf } from '../../kernel/platform/bundles/world.js';
import { clientOf, extensions, ids, left, publish, someone } from './world.js';

const versionOf = (platform: TestPlatform) =>
  platform.kernel.invoke('guest.version', {}, callerOf()).then(
    ({ body }) => body,
    () => undefined,
  );

t.test('two instances share one marketplace', { skip: skipWithout('postgres', 'redis') }, async (t) => {
  const [one, two] = (await startCluster(t, 2, { extensions, settings: { 'plugins.trusted': ids } })) as [TestPlatform, TestPlatform];
  const [here, there] = [clientOf(one), clientOf(two)];
  const [ada, bob] = [await someone(one, 'ada'), await someone(two, 'bob')];

  await t.test('one of two first publishers owns the id, even with the same bytes', async (t) => {
    for (let round = 1; round <= 6; round += 1) {
      const id = `raced-${round}`;
      const zip = pluginZip({ id });
      const codes = await Promise.all([
        codeOf(publish(ada, zip)),
        codeOf(publish(bob, round % 2 ? zip : pluginZip({ id, author: 'bob' }))),
      ]);
      t.same(codes.sort(), ['none', 'not_owner']);
      const { bytes, etag } = await here.marketplace.download({ id, version: '1.0.0' });
      t.equal(hashOf(bytes), etag);
      await becomes(t, async () => (await left(one)).kernel_blobs, round);
    }
  });

  await t.test('a version is approved once', async (t) => {
    const name = { id: 'raced-1', version: '1.0.0' };
    t.same((await Promise.all([here, there].map(async (client) => codeOf(client.marketplace.approve(name))))).sort(), [
      'none',
      'wrong_state',
    ]);
    t.match(await there.marketplace.review(name), { status: 'approved' });
  });

  await t.test('a version published on one instance can be approved and installed on the others', async (t) => {
    for (const version of ['1.0.0', '2.0.0']) {
      const activate = `ctx.expose({ 'guest.version': op('version') }, { 'guest.version': () => '${version}' });`;
      await publish(ada, pluginZip({ version, activate }));
      await there.marketplace.approve({ id: 'guest', version });
    }
    await here.marketplace.install({ id: 'guest', version: '1.0.0', accept_permissions: false });
    t.equal(await versionOf(one), '1.0.0');
    await becomes(t, () => versionOf(two), '1.0.0');
    const installations = await Promise.all([
      codeOf(here.marketplace.install({ id: 'guest', version: '2.0.0', accept_permissions: false })),
      codeOf(there.marketplace.install({ id: 'guest', version: '2.0.0', accept_permissions: false })),
    ]);
    t.ok(installations.includes('none'), installations.join());
    for (const platform of [one, two]) await becomes(t, () => versionOf(platform), '2.0.0');
    for (const client of [here, there]) t.match((await client.marketplace.installed()).items, [{ version: '2.0.0', state: 'active' }]);
    await there.marketplace.uninstall({ id: 'guest', purge: false });
    t.equal(await versionOf(two), undefined);
    await until(
      () => versionOf(one),
      (version) => version === undefined,
      3_000,
    );
    t.same((await here.marketplace.installed()).items, []);
  });
});
