import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { becomes } from '../../helpers/eventually.js';
import { callerOf, temporaryFolder } from '../../helpers/platform.js';
import { pluginZip } from '../../kernel/core/plugins/bundle.js';
import { codeOf } from '../../kernel/platform/bundles/world.js';
import { approved, inDatabase, left, onEach, publish } from './world.js';

const one = { id: 'guest', version: '1.0.0' };
const holders = ['marketplace_extensions', 'marketplace_versions', 'kernel_blobs', 'kernel_blob_holders'];

/** The codes of both, the one that went well first. */
async function both(...works: readonly Promise<unknown>[]): Promise<string[]> {
  return (await Promise.all(works.map(codeOf))).sort((a, b) => Number(b === 'none') - Number(a === 'none'));
}

t.test('one of two first publishers owns the id, and nothing of the other is left', async (t) => {
  await onEach(t, async (t, { platform, ada, bob }) => {
    for (let round = 1; round <= 5; round += 1) {
      const id = `guest-${round}`;
      const zips = [pluginZip({ id, description: 'Of one.' }), pluginZip({ id, description: 'Of the other.' })] as const;
      t.same(await both(publish(ada, zips[0]), publish(bob, zips[1])), ['none', 'not_owner']);
      const wanted = Object.fromEntries(holders.map((name) => [name, round]));
      await becomes(t, () => left(platform), wanted);
    }
  });
});

t.test('one of two publishers of the same bytes succeeds, and the ZIP is kept', async (t) => {
  await onEach(t, async (t, { platform, ada, bob, admin }) => {
    for (let round = 1; round <= 5; round += 1) {
      const zip = pluginZip({ version: `${round}.0.0` });
      const works = round === 1 ? [publish(ada, zip), publish(bob, zip)] : [publish(ada, zip), publish(ada, zip)];
      const [first, second] = await both(...works);
      t.same([first, second], ['none', round === 1 ? 'not_owner' : 'version_exists']);
      if (round === 1) await admin.marketplace.transfer({ id: 'guest', member_id: ada.id });
      t.equal((await admin.marketplace.download({ id: 'guest', version: `${round}.0.0` })).bytes.length, zip.length);
    }
    await becomes(t, async () => (await left(platform)).kernel_blobs, 5);
  });
});

t.test('a version is approved or rejected once, and the reported decision is stored', async (t) => {
  await onEach(t, async (t, { admin, ada }) => {
    await publish(ada, pluginZip());
    t.same(await both(admin.marketplace.approve(one), admin.marketplace.approve(one)), ['none', 'wrong_state']);
    const two = { id: 'guest', version: '2.0.0' };
    await publish(ada, pluginZip(two));
    const [approval, rejection] = await Promise.all([
      codeOf(admin.marketplace.approve(two)),
      codeOf(admin.marketplace.reject({ ...two, reason: 'No' })),
    ]);
    t.same([approval, rejection].sort(), ['none', 'wrong_state']);
    t.equal((await admin.marketplace.review(two)).status, approval === 'none' ? 'approved' : 'rejected');
  });
});

t.test('concurrent yanks and publications leave the right version as newest', async (t) => {
  await onEach(t, async (t, { admin, ada, bob }) => {
    for (const version of ['1.0.0', '1.1.0', '1.2.0']) await approved({ admin, ada }, { version });
    await Promise.all([
      admin.marketplace.yank({ id: 'guest', version: '1.2.0', reason: '' }),
      publish(ada, pluginZip({ version: '1.3.0' })),
      admin.marketplace.yank({ id: 'guest', version: '1.1.0', reason: '' }),
      publish(ada, pluginZip({ version: '1.4.0' })).then(({ version }) => admin.marketplace.approve({ id: 'guest', version })),
    ]);
    t.match(await bob.client.marketplace.get({ id: 'guest', upstream: true }), {
      version: '1.4.0',
      versions: [{ version: '1.4.0' }, { version: '1.0.0' }],
    });
    await admin.marketplace.yank({ id: 'guest', version: '1.4.0', reason: '' });
    t.match(await bob.client.marketplace.get({ id: 'guest', upstream: true }), { version: '1.0.0' });
    t.match(await admin.marketplace.review({ id: 'guest', version: '1.3.0' }), { status: 'under_review', compared_with: '1.0.0' });
  });
});

t.test('concurrent installations of two versions run one after the other, and the listed version serves', async (t) => {
  await onEach(t, async (t, { platform, admin, ada }) => {
    for (const version of ['1.0.0', '2.0.0']) {
      const activate = `ctx.expose({ 'guest.version': op('version') }, { 'guest.version': () => '${version}' });`;
      await approved({ admin, ada }, { version, activate });
    }
    const install = (version: string) => admin.marketplace.install({ id: 'guest', version, accept_permissions: false });
    const answers = await Promise.all([install('1.0.0'), install('2.0.0')]);
    t.same(
      answers.map(({ changed }) => changed),
      [true, true],
    );
    t.same(
      answers.map(({ previous }) => previous).filter((previous) => previous === null).length,
      1,
      'only one installation was the first',
    );
    const { items } = await admin.marketplace.installed();
    t.equal(items.length, 1);
    t.equal((await platform.kernel.invoke('guest.version', {}, callerOf())).body, items[0]?.version);
    t.equal((await admin.marketplace.get({ id: 'guest', upstream: true })).downloads, 2);
    const same = await Promise.all([install('1.0.0'), install('1.0.0'), admin.marketplace.yank({ ...one, reason: '' })].map(codeOf));
    t.equal(same[2], 'none');
    t.ok(
      same.every((code) => ['none', 'version_not_found'].includes(code)),
      same.join(),
    );
  });
});

t.test('if the first of two concurrent installations from a source fails, the other still succeeds', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'guest-1.0.0.zip'), pluginZip());
  await writeFile(join(folder, 'guest-2.0.0.zip'), pluginZip({ version: '2.0.0', permissions: { storage: true } }));
  const work: Parameters<typeof onEach>[1] = async (t, { admin }) => {
    await admin.marketplace.install({ ...one, accept_permissions: false });
    const works = [false, true].map((accept_permissions) => admin.marketplace.install({ id: 'guest', accept_permissions }));
    t.same(await Promise.all(works.map(codeOf)), ['permissions_not_accepted', 'none']);
    t.match((await admin.marketplace.installed()).items, [{ version: '2.0.0', source: folder }]);
  };
  await onEach(t, work, { settings: { 'marketplace.upstream_registry': folder } });
});

t.test('a version that another instance removes during its installation is restored', async (t) => {
  const folder = await temporaryFolder(t);
  const activate = `
    await ctx.storage.set('begun', true);
    while (!(await ctx.storage.get('forgotten'))) await new Promise((done) => setTimeout(done, 20));`;
  await writeFile(join(folder, 'guest-1.0.0.zip'), pluginZip({ activate, permissions: { storage: true } }));
  const work: Parameters<typeof onEach>[1] = async (t, { platform, admin }) => {
    const installed = admin.marketplace.install({ ...one, accept_permissions: true });
    const begun = () => inDatabase(platform, (db) => db.rows("SELECT key FROM kernel_storage WHERE extension = 'guest'"));
    await becomes(t, begun, [{ key: 'begun' }]);
    await inDatabase(platform, async (db) => {
      for (const table of ['marketplace_versions', 'marketplace_extensions']) await db.run(`DELETE FROM ${table} WHERE id = 'guest'`);
      await db.run("INSERT INTO kernel_storage (extension, key, value) VALUES ('guest', 'forgotten', 'true')");
    });
    t.match(await installed, { version: '1.0.0', changed: true });
    t.match((await admin.marketplace.installed()).items, [{ version: '1.0.0', source: folder }]);
    t.match(await admin.marketplace.get({ id: 'guest', upstream: false }), { version: '1.0.0', downloads: 1 });
    t.ok((await admin.marketplace.download(one)).bytes.length > 0);
  };
  await onEach(t, work, { settings: { 'marketplace.upstream_registry': folder } });
});
