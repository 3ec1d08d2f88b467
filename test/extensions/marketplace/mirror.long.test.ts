import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { publicText, signBundle } from '../../../kernel/platform/bundles/signature.js';
import { Shell } from '../../cli/shell.js';
import { sharedSettings } from '../../helpers/cluster.js';
import { skipWithout } from '../../helpers/parts.js';
import { type PlatformOptions, startPlatform, type TestPlatform, temporaryFolder } from '../../helpers/platform.js';
import { hashOf, pluginZip } from '../../kernel/core/plugins/bundle.js';
import { indexOf, serve, serveFolder } from './sources/world.js';
import { clientOf, extensions, ids, left } from './world.js';

const page = { limit: 50, offset: 0, upstream: true };
const plain = { accept_permissions: false };
const { privateKey } = generateKeyPairSync('ed25519');
const zip = pluginZip({ version: '1.0.0' });
const signature = signBundle({ id: 'guest', version: '1.0.0', content_hash: hashOf(zip) }, privateKey);

type Settings = NonNullable<PlatformOptions['settings']>;

/** One platform after the other, on SQLite and on PostgreSQL. */
async function onEachDatabase(t: Test, settings: Settings, work: (t: Test, platform: TestPlatform) => Promise<void>): Promise<void> {
  const start = (t: Test, more: Settings) => startPlatform(t, { extensions, settings: { 'plugins.trusted': ids, ...settings, ...more } });
  await t.test('sqlite', async (t) => work(t, await start(t, {})));
  await t.test('postgres', { skip: skipWithout('postgres', 'redis') }, async (t) => work(t, await start(t, await sharedSettings(t))));
}

/** A folder with a signed ZIP, and its index as the command makes it. */
async function indexed(t: Test): Promise<string> {
  const home = await temporaryFolder(t);
  const folder = join(home, 'bundles');
  await mkdir(folder);
  await writeFile(join(folder, 'guest 1.zip'), zip);
  await writeFile(join(folder, 'guest 1.zip.sig'), JSON.stringify(signature));
  const { code, stderr } = await new Shell(home).run(['extension', 'index', 'bundles']);
  t.equal(code, 0, stderr);
  return folder;
}

t.test('a mirror made by one command and served by any web server carries signatures', async (t) => {
  const folder = await indexed(t);
  const { url } = await serveFolder(t, folder);
  const sources = { mirror: `${url}/index.json`, folder };
  for (const [kind, source] of Object.entries(sources)) {
    const settings = { 'marketplace.upstream_registry': source, 'marketplace.require_trusted': true };
    await onEachDatabase(t, settings, async (t, platform) => {
      const { marketplace } = clientOf(platform);
      t.match(await marketplace.search(page), { items: [{ id: 'guest', version: '1.0.0', source, signature }], total: 1 }, kind);
      await t.rejects(marketplace.install({ id: 'guest', ...plain }), { code: 'signature_untrusted' });
      t.same(await left(platform), nothing, 'nothing of the rejected bundle is left');
      await marketplace.trust_key({ name: 'Acme', public_key: publicText(privateKey) });
      t.match(await marketplace.get({ id: 'guest', upstream: true }), { signed_by: 'Acme', source });
      t.match(await marketplace.install({ id: 'guest', ...plain }), { version: '1.0.0', changed: true });
      t.match((await marketplace.installed({})).items, [{ id: 'guest', source, signed_by: 'Acme', has_update: false }]);
    });
  }
});

const nothing = { marketplace_extensions: 0, marketplace_versions: 0, kernel_blobs: 0, kernel_blob_holders: 0 };

const good = {
  ...{ id: 'guest', name: 'Guest', type: 'plugin', version: '1.0.0', description: 'Stays for the time of a test.', author: 'tests' },
  ...{ content_hash: hashOf(zip), file: 'guest.zip' },
};
const other = pluginZip({ version: '2.0.0' });
const twin = pluginZip({ version: '1.0.0', description: 'Stays for ever.' });
const greedy = pluginZip({ version: '1.0.0', permissions: { storage: true } });

const lies: Record<string, readonly [code: string, item: object, bytes: Buffer]> = {
  'another content': ['source_hash_mismatch', good, other],
  'another version': ['source_mismatch', { ...good, content_hash: hashOf(other) }, other],
  'the signature of another bundle': ['source_mismatch', { ...good, content_hash: hashOf(twin), signature }, twin],
  'what is no bundle': ['bundle_not_zip', { ...good, content_hash: hashOf(Buffer.from('x')) }, Buffer.from('x')],
  'more permissions than it shows': [
    'source_mismatch',
    { ...good, content_hash: hashOf(greedy), permissions: { events: ['storage'] } },
    greedy,
  ],
};

t.test('a lying mirror leaves no file, row or blob', async (t) => {
  const key = publicText(privateKey);
  for (const [name, [code, item, bytes]] of Object.entries(lies)) {
    const { url } = await serve(t, ({ url }, response) => void response.end(url === '/index.json' ? indexOf(item) : bytes));
    await onEachDatabase(t, { 'marketplace.upstream_registry': `${url}/index.json` }, async (t, platform) => {
      const { marketplace } = clientOf(platform);
      await marketplace.trust_key({ name: 'Acme', public_key: key });
      t.match(await marketplace.get({ id: 'guest', upstream: true }), { signed_by: null }, 'an invalid signature is not shown');
      await t.rejects(marketplace.install({ id: 'guest', ...plain }), { code }, name);
      t.same(await left(platform), nothing, name);
      const files = await readdir(platform.data_dir, { recursive: true });
      t.same(
        files.filter((file) => file.endsWith('.zip')),
        [],
      );
      t.match(await marketplace.installed({}), { items: [], total: 0 });
    });
  }
});

t.test('a source that never answers delays a search by at most five seconds', async (t) => {
  const { url } = await serve(t, () => {});
  const platform = await startPlatform(t, { extensions, settings: { 'marketplace.upstream_registry': url } });
  const { marketplace } = clientOf(platform);
  const began = performance.now();
  t.same(await marketplace.search(page), { items: [], total: 0, unavailable: [url] });
  const took = performance.now() - began;
  t.ok(took > 4_000 && took < 20_000, `${Math.round(took)} ms`);
  const again = performance.now();
  t.same((await marketplace.search(page)).unavailable, [url]);
  t.ok(performance.now() - again < 4_000, 'the next search does not wait');
});
