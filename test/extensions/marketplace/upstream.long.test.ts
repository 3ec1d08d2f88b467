import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { publicText, signBundle } from '../../../kernel/platform/bundles/signature.js';
import { sharedSettings } from '../../helpers/cluster.js';
import { skipWithout } from '../../helpers/parts.js';
import { callerOf, startPlatform, type TestPlatform, temporaryFolder } from '../../helpers/platform.js';
import { freePort } from '../../helpers/ports.js';
import { hashOf, type PluginParts, pluginZip } from '../../kernel/core/plugins/bundle.js';
import { clientOf, extensions, ids, left, type MarketClient, onEach, publish, someone } from './world.js';

/** A plugin that answers with its version and has a readme. */
const plugin = (version: string, more: PluginParts = {}) =>
  pluginZip({
    version,
    category: 'tests',
    tags: ['calm', 'short stay'],
    activate: `ctx.expose({ 'guest.version': op('version') }, { 'guest.version': () => '${version}' });`,
    files: [{ name: 'README.md', content: '# A guest\n' }],
    ...more,
  });

const page = { limit: 50, offset: 0, upstream: true };
const plain = { accept_permissions: false };

interface Upstream {
  platform: TestPlatform;
  admin: MarketClient;
  /** A token of a member's there. */
  token: string;
  /** Publishes as a member, and approves. */
  offer: (zip: Buffer, more?: object) => Promise<void>;
}

/** The other platform, on that port. */
async function startUpstream(t: Test, port: number, settings: object = {}): Promise<Upstream> {
  const platform = await startPlatform(t, { extensions, settings: { port, 'plugins.trusted': ids, ...settings } });
  const admin = clientOf(platform);
  const ada = await someone(platform, 'ada');
  const { token } = await ada.client.tokens.create({ name: 'another platform', scopes: ['read'] });
  const offer = async (zip: Buffer, more: object = {}) => {
    const { id, version } = await publish(ada, zip, more);
    await admin.marketplace.approve({ id, version });
  };
  return { platform, admin, token, offer };
}

/** Returns the version that answers there. */
async function versionOf({ kernel }: TestPlatform): Promise<unknown> {
  return (await kernel.invoke('guest.version', {}, callerOf())).body;
}

/** The names of found items, with where they are. */
const named = (items: readonly { id: string; version: string; source: string | null }[]) =>
  items.map(({ id, version, source }) => `${id} ${version} ${source ?? 'here'}`);

t.test('an unavailable source, or one that needs a token, is named, and other results are returned', async (t) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let ahead = 0;
  await onEach(
    t,
    async (t, { platform, admin, ada, bob }) => {
      await publish(ada, plugin('1.0.0'));
      await admin.marketplace.approve({ id: 'guest', version: '1.0.0' });
      const reason = () => platform.lines.filter(({ source }) => source === url).at(-1);
      const search = async () => {
        const { items, unavailable } = await bob.client.marketplace.search(page);
        return [named(items), unavailable];
      };
      t.same(await search(), [['guest 1.0.0 here'], [url]], 'the source is unavailable');
      t.match(reason(), { code: 'source_unavailable' });
      await startUpstream(t, port);
      ahead += 6_000;
      t.same(await search(), [['guest 1.0.0 here'], [url]], 'without a token the source returns nothing');
      t.match(reason(), { reason: `${url} rejected the token: check the setting marketplace.upstream_token` });
      const nobody = { code: 'source_unavailable', status: 503 };
      const message = `'other' is not stored here. ${url} rejected the token: check the setting marketplace.upstream_token`;
      await t.rejects(
        admin.marketplace.install({ id: 'other', ...plain }),
        { ...nobody, message },
        'an unavailable source does not mean that the id is unknown',
      );
    },
    { settings: { 'marketplace.upstream_registry': url }, clock: { now: () => Date.now() + ahead } },
  );
});

t.test('versions approved on another platform are found, shown, installed and updated', async (t) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { privateKey } = generateKeyPairSync('ed25519');
  const sign = (version: string, zip: Buffer) => signBundle({ id: 'guest', version, content_hash: hashOf(zip) }, privateKey);
  let ahead = 0;
  const other = await startUpstream(t, port);
  const zip = plugin('1.0.0');
  await other.offer(zip, sign('1.0.0', zip));
  await publish({ client: other.admin }, pluginZip({ id: 'other', version: '3.0.0' }));
  const next = plugin('1.1.0');
  let isOut = false;
  const release = async () => {
    if (!isOut) await other.offer(next, sign('1.1.0', next));
    isOut = true;
  };
  const options = {
    settings: { 'marketplace.upstream_registry': url, 'marketplace.upstream_token': other.token },
    clock: { now: () => Date.now() + ahead },
  };
  await onEach(
    t,
    async (t, { platform, admin, bob }) => {
      const { marketplace } = bob.client;
      const newest = isOut ? '1.1.0' : '1.0.0';
      const found = await marketplace.search({ ...page, query: 'STAYS' });
      t.same(
        [named(found.items), found.total, found.unavailable],
        [[`guest ${newest} ${url}`], 1, []],
        'versions under review are not included',
      );
      t.same((await marketplace.search({ ...page, upstream: false })).items, []);
      const kinds = [
        { type: 'plugin', category: 'tests', tags: 'short stay, calm' },
        { type: 'skill' },
        { category: 'other' },
        { tags: 'calm,loud' },
      ];
      const counts: number[] = [];
      for (const kind of kinds) counts.push((await marketplace.search({ ...page, ...(kind as object) })).total);
      t.same(counts, [1, 0, 0, 0], 'the source applies the filters');
      const key = await admin.marketplace.trust_key({ name: 'Acme', public_key: publicText(privateKey) });
      t.match(await marketplace.version({ id: 'guest', version: '1.0.0', upstream: true }), {
        ...{ source: url, content_hash: hashOf(zip), readme: '# A guest\n', publisher: null, contributes: null },
        ...{ signature: { public_key: key.public_key }, signed_by: 'Acme', installed_version: null },
      });
      t.match(await marketplace.get({ id: 'guest', upstream: true }), { version: newest, versions: [{ version: newest }] });
      await t.rejects(marketplace.get({ id: 'other', upstream: true }), { code: 'extension_not_found' });
      await t.rejects(marketplace.install({ id: 'guest', ...plain }), { code: 'forbidden' });

      const installed = await admin.marketplace.install({ id: 'guest', version: '1.0.0', ...plain });
      t.match(installed, { id: 'guest', version: '1.0.0', status: 'installed', changed: true });
      t.equal(await versionOf(platform), '1.0.0');
      t.match(await marketplace.get({ id: 'guest', upstream: true }), {
        downloads: 1,
        source: url,
        contributes: { operations: ['guest.version'] },
      });
      t.match(await admin.marketplace.review({ id: 'guest', version: '1.0.0' }), { status: 'approved', publisher: null, source: url });

      await release();
      ahead += 61_000;
      t.match((await marketplace.installed({})).items, [
        { version: '1.0.0', has_update: true, latest_version: '1.1.0', source: url, signed_by: 'Acme' },
      ]);
      t.match(await admin.marketplace.install({ id: 'guest', ...plain }), { version: '1.1.0', previous: '1.0.0' });
      t.equal(await versionOf(platform), '1.1.0');
      t.match((await marketplace.installed({})).items, [{ has_update: false, latest_version: '1.1.0' }]);

      await admin.marketplace.yank({ id: 'guest', version: '1.1.0', reason: 'It is slow' });
      await admin.marketplace.install({ id: 'guest', version: '1.0.0', ...plain });
      t.match(
        (await marketplace.installed({})).items,
        [{ version: '1.0.0', has_update: false }],
        'a version yanked here is not offered as an update',
      );
      const gone = { code: 'version_not_found' };
      await t.rejects(
        admin.marketplace.install({ id: 'guest', version: '1.1.0', ...plain }),
        gone,
        'a yanked version cannot be installed from the source either',
      );
    },
    options,
  );
});

t.test('no source can take over a known id', async (t) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const other = await startUpstream(t, port);
  await other.offer(plugin('9.0.0'));
  await other.offer(pluginZip({ id: 'other', version: '9.0.0' }));
  const settings = { 'marketplace.upstream_registry': url, 'marketplace.upstream_token': other.token };
  await onEach(
    t,
    async (t, { platform, admin, ada, bob }) => {
      const install = (more: object) => admin.marketplace.install({ id: 'guest', ...plain, ...more });
      await publish(ada, plugin('1.0.0'));
      t.same(
        named((await bob.client.marketplace.search(page)).items),
        [`other 9.0.0 ${url}`],
        'a version under review hides the id of the source',
      );
      await t.rejects(install({}), { code: 'extension_not_found' });
      await admin.marketplace.approve({ id: 'guest', version: '1.0.0' });
      t.same(named((await bob.client.marketplace.search(page)).items), ['guest 1.0.0 here', `other 9.0.0 ${url}`]);
      t.match(await bob.client.marketplace.get({ id: 'guest', upstream: true }), { version: '1.0.0', source: null });
      t.match(await install({}), { version: '1.0.0' });
      t.match((await bob.client.marketplace.installed({})).items, [{ has_update: false, latest_version: '1.0.0' }]);
      for (const more of [{ version: '9.0.0' }, { version: '9.0.0', source: url }]) {
        await t.rejects(install(more), { code: 'version_not_found' }, JSON.stringify(more));
      }
      await t.rejects(install({ source: 'https://elsewhere.example' }), { code: 'source_not_found' });
      t.equal(await versionOf(platform), '1.0.0');
      t.match(await admin.marketplace.install({ id: 'other', ...plain }), { version: '9.0.0' });
      await t.rejects(
        publish(ada, pluginZip({ id: 'other', version: '9.1.0' })),
        { code: 'not_owner' },
        'a member cannot take an id of a source either',
      );
    },
    { settings },
  );
});

t.test('an extension changes its source only if an administrator names another', async (t) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const other = await startUpstream(t, port);
  await other.offer(plugin('9.0.0'));
  await other.offer(plugin('8.0.0', { permissions: { storage: true } }));
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'guest.zip'), plugin('1.0.0'));
  const upstream = { 'marketplace.upstream_registry': url, 'marketplace.upstream_token': other.token };
  const shared: Record<string, unknown>[] = [{ data_dir: await temporaryFolder(t) }];
  if (skipWithout('postgres', 'redis') === false) shared.push(await sharedSettings(t));
  for (const place of shared) {
    const start = (settings: object) => startPlatform(t, { extensions, settings: { 'plugins.trusted': ids, ...place, ...settings } });
    const first = await start({ 'marketplace.upstream_registry': folder });
    t.match(await clientOf(first).marketplace.install({ id: 'guest', ...plain }), { version: '1.0.0' });
    await first.kernel.close();

    const second = await start(upstream);
    const { marketplace } = clientOf(second);
    t.match((await marketplace.installed({})).items, [{ source: folder, has_update: false, latest_version: '1.0.0' }]);
    t.match(await marketplace.install({ id: 'guest', ...plain }), { version: '1.0.0', changed: false });
    await t.rejects(marketplace.install({ id: 'guest', version: '9.0.0', ...plain }), { code: 'version_not_found' });
    const refused = { code: 'permissions_not_accepted' };
    await t.rejects(marketplace.install({ id: 'guest', version: '8.0.0', source: url, ...plain }), refused);
    t.match(
      await marketplace.install({ id: 'guest', ...plain }),
      { version: '1.0.0', changed: false },
      'a failed installation does not change the source',
    );
    t.match(await marketplace.install({ id: 'guest', source: url, ...plain }), { version: '9.0.0', previous: '1.0.0' });
    t.match((await marketplace.installed({})).items, [{ version: '9.0.0', source: url }]);
    await second.kernel.close();
  }
});

t.test('an extension from a source stays after the source is gone', async (t) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const shared: Record<string, unknown>[] = [{ data_dir: await temporaryFolder(t) }];
  if (skipWithout('postgres', 'redis') === false) shared.push(await sharedSettings(t));
  for (const place of shared) {
    const other = await startUpstream(t, port);
    await other.offer(plugin('1.0.0'));
    const upstream = { 'marketplace.upstream_registry': url, 'marketplace.upstream_token': other.token };
    const platform = await startPlatform(t, { extensions, settings: { 'plugins.trusted': ids, ...place, ...upstream } });
    const { marketplace } = clientOf(platform);
    await marketplace.install({ id: 'guest', ...plain });
    await other.platform.kernel.close();
    const found = await marketplace.search(page);
    t.same([named(found.items), found.unavailable], [[`guest 1.0.0 ${url}`], [url]]);
    t.match((await marketplace.installed({})).items, [{ has_update: false, latest_version: '1.0.0' }]);
    await marketplace.uninstall({ id: 'guest', purge: true });
    t.match(await marketplace.install({ id: 'guest', ...plain }), { version: '1.0.0', changed: true });
    t.equal(await versionOf(platform), '1.0.0');
    await platform.kernel.close();
  }
});

t.test('concurrent installations of one version download it once', async (t) => {
  const port = await freePort();
  const other = await startUpstream(t, port);
  for (const version of ['1.0.0', '2.0.0']) await other.offer(plugin(version));
  const settings = { 'marketplace.upstream_registry': `http://127.0.0.1:${port}`, 'marketplace.upstream_token': other.token };
  await onEach(
    t,
    async (t, { platform, admin }) => {
      const install = (version: string) => admin.marketplace.install({ id: 'guest', version, ...plain });
      const all = await Promise.allSettled(['1.0.0', '1.0.0', '2.0.0', '1.0.0', '2.0.0'].map(install));
      t.same(
        all.map((one) => (one.status === 'fulfilled' ? one.value.status : String(one.reason))),
        Array(5).fill('installed'),
      );
      t.match(await left(platform), { marketplace_extensions: 1, marketplace_versions: 2, kernel_blobs: 2 });
      const { items } = await admin.marketplace.installed({});
      t.equal(items[0]?.version, await versionOf(platform));
    },
    { settings },
  );
});

t.test('two platforms that name each other do not query each other forever', async (t) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const place = { data_dir: await temporaryFolder(t) };
  const alone = await startUpstream(t, port, place);
  await alone.platform.kernel.close();
  const settings = { ...place, port, 'marketplace.upstream_registry': url, 'marketplace.upstream_token': alone.token };
  const platform = await startPlatform(t, { extensions, settings: { 'plugins.trusted': ids, ...settings } });
  const { marketplace } = clientOf(platform);
  const began = performance.now();
  t.same(await marketplace.search(page), { items: [], total: 0, unavailable: [] });
  await t.rejects(marketplace.get({ id: 'guest', upstream: true }), { code: 'extension_not_found' });
  await t.rejects(marketplace.install({ id: 'guest', ...plain }), { code: 'extension_not_found' });
  t.ok(performance.now() - began < 20_000);
});
