import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { becomes } from '../../helpers/eventually.js';
import { callerOf, temporaryFolder } from '../../helpers/platform.js';
import { pluginZip } from '../../kernel/core/plugins/bundle.js';
import { left, onEach } from './world.js';

const nothing = { marketplace_extensions: 0, marketplace_versions: 0, kernel_blobs: 0, kernel_blob_holders: 0 };
const install = { id: 'guest', accept_permissions: false };

t.test('a failed import from a source leaves nothing', async (t) => {
  const folder = await temporaryFolder(t);
  const put = (version: string, parts: object) => writeFile(join(folder, `guest-${version}.zip`), pluginZip({ version, ...parts }));
  await put('1.0.0', { activate: `throw new Error('It is broken');` });
  const work: Parameters<typeof onEach>[1] = async (t, { platform, admin }) => {
    const incoming = () => readdir(join(platform.data_dir, 'files', 'marketplace', 'incoming'));
    await t.rejects(admin.marketplace.install({ ...install, version: '1.0.0' }), { code: 'extension_failed', status: 502 });
    await becomes(t, () => left(platform), nothing);
    await t.rejects(admin.marketplace.install({ ...install, version: '3.0.0' }), { code: 'engine_mismatch', status: 409 });
    await becomes(t, () => left(platform), nothing);
    t.match(await admin.marketplace.install({ ...install, version: '2.0.0' }), { version: '2.0.0', changed: true });
    await t.rejects(admin.marketplace.install({ ...install, version: '1.0.0' }), { code: 'extension_failed' });
    t.match((await admin.marketplace.installed()).items, [{ version: '2.0.0', state: 'active', source: folder }]);
    t.match(await admin.marketplace.get({ id: 'guest', upstream: false }), {
      version: '2.0.0',
      downloads: 1,
      publisher: null,
      source: folder,
      versions: [{ version: '2.0.0' }],
    });
    await becomes(t, () => left(platform), {
      ...nothing,
      marketplace_extensions: 1,
      marketplace_versions: 1,
      kernel_blobs: 1,
      kernel_blob_holders: 2,
    });
    t.same(await incoming(), []);
  };
  await put('2.0.0', {});
  await put('3.0.0', { engines: { platform: '>=99' } });
  await onEach(t, work, { settings: { 'marketplace.upstream_registry': folder } });
});

t.test('the daily cleanup or a later start removes an interrupted download', async (t) => {
  await onEach(t, async (t, { platform, again }) => {
    const folder = join(platform.data_dir, 'files', 'marketplace', 'incoming');
    await mkdir(folder, { recursive: true });
    for (const name of ['old.zip', 'new.zip']) await writeFile(join(folder, name), 'half of it');
    const then = new Date(Date.now() - 2 * 3_600_000);
    const age = () => utimes(join(folder, 'old.zip'), then, then);
    await age();
    await platform.kernel.invoke('maintenance.cleanup', {}, callerOf());
    t.same(await readdir(folder), ['new.zip']);
    await writeFile(join(folder, 'old.zip'), 'half of it');
    await age();
    await platform.kernel.close();
    const next = await again();
    const kept = next.data_dir === platform.data_dir ? ['new.zip'] : ['new.zip', 'old.zip'];
    t.same((await readdir(folder)).sort(), kept, 'downloads of other processes stay');
  });
});
