import t from 'tap';
import type { ReviewQuery } from '../../../extensions/marketplace/contract.js';
import { becomes, until } from '../../helpers/eventually.js';
import { callerOf } from '../../helpers/platform.js';
import { hashOf, pluginZip } from '../../kernel/core/plugins/bundle.js';
import { codeOf } from '../../kernel/platform/bundles/world.js';
import { approved, audited, clientOf, left, onEach, publish, someone } from './world.js';

const all: ReviewQuery = { limit: 50, offset: 0 };
const one = { id: 'guest', version: '1.0.0' };

t.test('the first publisher owns an id until an administrator transfers it', async (t) => {
  await onEach(t, async (t, { admin, ada, bob }) => {
    await approved({ admin, ada });
    const newer = pluginZip({ version: '1.1.0' });
    await t.rejects(publish(bob, newer), { code: 'not_owner', status: 403, message: /'guest' belongs to 'ada'/ });
    await t.rejects(publish({ client: admin }, newer), { code: 'not_owner' }, 'administrators cannot publish under the id either');
    await t.rejects(admin.marketplace.transfer({ id: 'guest', member_id: 999_999 }), { code: 'member_not_found', status: 400 });
    await t.rejects(admin.marketplace.transfer({ id: 'nothing', member_id: bob.id }), { code: 'extension_not_found' });
    t.same(await admin.marketplace.transfer({ id: 'guest', member_id: bob.id }), {
      id: 'guest',
      owner: { member_id: bob.id, username: 'bob' },
    });
    await t.rejects(publish(ada, newer), { code: 'not_owner' });
    t.match(await publish(bob, newer), { id: 'guest', version: '1.1.0' });
    await admin.members.delete({ id: bob.id });
    t.match(await admin.marketplace.review({ id: 'guest', version: '1.1.0' }), { publisher: { member_id: bob.id, username: 'bob' } });
    await t.rejects(publish(ada, pluginZip({ version: '1.2.0' })), { code: 'not_owner' }, 'a deleted member still owns the id');
    await admin.marketplace.transfer({ id: 'guest', member_id: ada.id });
    t.match(await publish(ada, pluginZip({ version: '1.2.0' })), { version: '1.2.0' });
  });
});

t.test('a version number can be published once, unless it was rejected', async (t) => {
  await onEach(t, async (t, { platform, admin, ada, bob }) => {
    const [first, other] = [pluginZip(), pluginZip({ description: 'Another.' })];
    await publish(ada, first);
    for (const zip of [first, other]) await t.rejects(publish(ada, zip), { code: 'version_exists', status: 409 });
    await admin.marketplace.reject({ ...one, reason: 'It does nothing' });
    await becomes(t, async () => (await left(platform)).kernel_blobs, 0);
    t.match(await ada.client.marketplace.version({ ...one, upstream: true }), { status: 'rejected', reason: 'It does nothing' });
    await t.rejects(ada.client.marketplace.download(one), { code: 'version_gone', status: 410 });
    t.match(await publish(ada, other), { ...one, content_hash: hashOf(other) });
    t.match(await admin.marketplace.review(one), { status: 'under_review', reason: null, reviewed_at: null, content_hash: hashOf(other) });
    t.equal((await admin.marketplace.reviews(all)).total, 1);
    const unseen = { ...one, content_hash: hashOf(first) };
    await t.rejects(
      admin.marketplace.approve(unseen),
      { code: 'content_changed', status: 409 },
      'content that was not reviewed is not approved',
    );
    t.match(await admin.marketplace.review(one), { status: 'under_review' });
    await admin.marketplace.reject({ ...one, reason: 'Still nothing' });
    t.match(await publish(bob, first), one, 'an id without an accepted version is free again');
    t.match(await admin.marketplace.review(one), { publisher: { username: 'bob' } });
    await admin.marketplace.approve(unseen);
    await t.rejects(publish(bob, other), { code: 'version_exists' });
    await admin.marketplace.yank({ ...one, reason: '' });
    await t.rejects(publish(bob, other), { code: 'version_exists' });
    const skill = pluginZip({
      type: 'skill',
      version: '2.0.0',
      contributes: {},
      files: [{ name: 'SKILL.md', content: '---\nname: guest\ndescription: Greets.\n---\n' }],
    });
    await t.rejects(publish(bob, skill), { code: 'bundle_type_mismatch', status: 400 });
    await t.rejects(publish(bob, skill, { type: 'skill' }), { code: 'type_changed', status: 409 });
  });
});

t.test('each step of a review is allowed only after the one before', async (t) => {
  await onEach(t, async (t, { admin, ada }) => {
    const steps = {
      approve: () => admin.marketplace.approve(one),
      reject: () => admin.marketplace.reject({ ...one, reason: 'No' }),
      yank: () => admin.marketplace.yank({ ...one, reason: '' }),
    };
    const refused = async (wrong: readonly (keyof typeof steps)[], status: string) => {
      for (const step of wrong) {
        await t.rejects(
          steps[step](),
          { code: 'wrong_state', status: 409, message: new RegExp(status) },
          `${step} of a version that is ${status}`,
        );
      }
    };
    for (const step of Object.values(steps)) await t.rejects(step(), { code: 'version_not_found', status: 404 });
    await publish(ada, pluginZip());
    await refused(['yank'], 'under review');
    await steps.reject();
    await refused(['approve', 'reject', 'yank'], 'rejected');
    await publish(ada, pluginZip());
    await steps.approve();
    await refused(['approve', 'reject'], 'approved');
    await steps.yank();
    await refused(['approve', 'reject', 'yank'], 'yanked');
    t.match((await admin.marketplace.reviews({ ...all, status: 'yanked' })).items, [one]);
    t.same(await admin.marketplace.reviews({ ...all, status: 'approved' }), { items: [], total: 0 });
  });
});

t.test('members publish and read, but cannot decide, install or remove', async (t) => {
  await onEach(t, async (t, { admin, ada, bob }) => {
    const zip = pluginZip();
    await publish(ada, zip);
    const { marketplace } = bob.client;
    const refused = {
      reviews: () => marketplace.reviews(all),
      review: () => marketplace.review(one),
      approve: () => marketplace.approve(one),
      reject: () => marketplace.reject({ ...one, reason: 'No' }),
      yank: () => marketplace.yank({ ...one, reason: '' }),
      transfer: () => marketplace.transfer({ id: 'guest', member_id: bob.id }),
      install: () => marketplace.install({ id: 'guest', accept_permissions: false }),
      uninstall: () => marketplace.uninstall({ id: 'guest', purge: false }),
    };
    for (const [name, ask] of Object.entries(refused)) t.equal(await codeOf(ask()), 'forbidden', name);
    t.match(
      await ada.client.marketplace.version({ ...one, upstream: true }),
      { status: 'under_review' },
      'its publisher sees it before the approval',
    );
    t.same(await ada.client.marketplace.download(one), { mime_type: 'application/zip', bytes: zip, etag: hashOf(zip) });
    t.match(await admin.marketplace.download(one), { bytes: zip }, 'administrators see it before the approval');
    await t.rejects(marketplace.version({ ...one, upstream: true }), { code: 'extension_not_found', status: 404 });
    await t.rejects(marketplace.download(one), { code: 'version_not_found', status: 404 });
    await admin.marketplace.approve(one);
    t.match(await marketplace.download(one), { bytes: zip });
    t.match(await marketplace.version({ ...one, upstream: true }), { status: 'approved' });
  });
});

t.test('a member may have at most 20 versions under review', async (t) => {
  await onEach(t, async (t, { platform, admin, ada, bob }) => {
    for (let n = 1; n <= 20; n += 1) await publish(ada, pluginZip({ version: `1.${n}.0` }));
    const blobs = (await left(platform)).kernel_blobs;
    await t.rejects(publish(ada, pluginZip({ version: '2.0.0' })), { code: 'too_many_waiting', status: 409 });
    t.equal((await left(platform)).kernel_blobs, blobs);
    t.match(await publish(bob, pluginZip({ id: 'other' })), { id: 'other' }, 'other members are not limited');
    await admin.marketplace.approve({ id: 'guest', version: '1.7.0' });
    t.match(await publish(ada, pluginZip({ version: '2.0.0' })), { version: '2.0.0' });
  });
});

t.test('reviews notify administrators and publishers and are recorded in the audit trail', async (t) => {
  await onEach(t, async (t, { platform, admin, ada }) => {
    await publish(ada, pluginZip());
    const titles = async (client: typeof admin) =>
      (await client.notifications.list({ status: 'all', source: 'system', page: 1, limit: 20 })).notifications.map(({ title, summary }) => [
        title,
        summary,
      ]);
    const told = (client: typeof admin, count: number) =>
      until(
        () => titles(client),
        ({ length }) => length >= count,
      );
    t.match(await told(admin, 1), [["The plugin 'Guest' 1.0.0 is waiting for review", /'ada' published it as guest/]]);
    await admin.marketplace.reject({ ...one, reason: 'It does nothing' });
    t.match(await told(ada.client, 1), [["The plugin 'Guest' 1.0.0 was rejected", 'It does nothing']]);
    await publish(ada, pluginZip());
    await admin.marketplace.approve(one);
    t.match(await told(ada.client, 2), [["The plugin 'Guest' 1.0.0 was approved", String], []]);
    await admin.marketplace.install({ id: 'guest', accept_permissions: false });
    await admin.marketplace.yank({ ...one, reason: 'It is broken' });
    await admin.marketplace.uninstall({ id: 'guest', purge: true });
    t.same(
      (await audited(platform)).filter((operation) => operation.startsWith('marketplace.')),
      ['publish', 'reject', 'publish', 'approve', 'install', 'yank', 'uninstall'].map((name) => `marketplace.${name}`),
    );
  });
});

t.test('a rejected version is kept for 90 days, then an otherwise unused id is freed', async (t) => {
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead };
  const work: Parameters<typeof onEach>[1] = async (t, { platform, admin, ada }) => {
    ahead = 0;
    const clean = () => platform.kernel.invoke('maintenance.cleanup', {}, callerOf());
    await approved({ admin, ada }, { id: 'other' });
    for (const id of ['guest', 'other']) {
      await publish(ada, pluginZip({ id, version: '2.0.0' }));
      await admin.marketplace.reject({ id, version: '2.0.0', reason: 'No' });
    }
    ahead = 89 * 86_400_000;
    await clean();
    t.match(await left(platform), { marketplace_extensions: 2, marketplace_versions: 3 });
    ahead = 91 * 86_400_000;
    await clean();
    t.match(await left(platform), { marketplace_extensions: 1, marketplace_versions: 1, kernel_blobs: 1 });
    t.match(await admin.marketplace.get({ id: 'other', upstream: true }), { version: '1.0.0' });
  };
  await onEach(t, work, { clock });
});

t.test('installations with the same key happen once', async (t) => {
  await onEach(t, async (t, { platform, admin, ada }) => {
    await approved({ admin, ada });
    const boss = await someone(platform, 'boss', 'admin');
    const install = () => boss.client.marketplace.install({ id: 'guest', accept_permissions: false }, { idempotency_key: 'key-1' });
    const first = await install();
    t.match(first, { changed: true });
    t.same(await install(), first, 'the first answer is returned again');
    t.equal((await admin.marketplace.get({ id: 'guest', upstream: true })).downloads, 1);
    t.match(await clientOf(platform).marketplace.install({ id: 'guest', accept_permissions: false }), { changed: false });
  });
});
