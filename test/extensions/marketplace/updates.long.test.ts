import t from 'tap';
import { hashOf, pluginZip } from '../../kernel/core/plugins/bundle.js';
import { indexOf, serve } from './sources/world.js';
import { ids, onEach } from './world.js';

const three = ids.slice(0, 3);
const zipOf = (id: string, version: string) => pluginZip({ id, version });

/** Entries in a mirror's index. */
const listed = (id: string, version: string) => ({
  ...{ id, name: 'Guest', type: 'plugin', version, description: 'Stays for the time of a test.', author: 'tests' },
  ...{ content_hash: hashOf(zipOf(id, version)), file: `${id}-${version}.zip` },
});

t.test('a source is asked once for all updates, and of its own extensions only', async (t) => {
  let [ahead, next, isHanging] = [0, '1.0.0', false];
  const { url } = await serve(t, ({ url = '' }, response) => {
    if (isHanging) return;
    const [, id = '', version = ''] = /^\/([a-z]+)-(.*)\.zip$/.exec(url) ?? [];
    response.end(id === '' ? indexOf(...three.flatMap((each) => [listed(each, next)])) : zipOf(id, version));
  });
  const source = `${url}/index.json`;
  await onEach(
    t,
    async (t, { platform, admin, ada }) => {
      for (const id of three) await admin.marketplace.install({ id, version: '1.0.0', accept_permissions: false });
      const updates = async () => (await admin.marketplace.installed({})).items.map(({ has_update }) => has_update);
      next = '1.1.0';
      ahead += 61_000;
      t.same(await updates(), [true, true, true]);
      await admin.marketplace.transfer({ id: 'guest', member_id: ada.id });
      t.same(await updates(), [false, true, true], 'a transferred extension is not updated from a source');
      isHanging = true;
      ahead += 61_000;
      const before = platform.lines.length;
      t.same(await updates(), [false, false, false]);
      const told = platform.lines.slice(before).filter(({ msg }) => msg === 'Could not query a source for newer versions');
      t.equal(told.length, 1, 'an unavailable source is waited for only once');
      [isHanging, next] = [false, '1.0.0'];
      ahead += 200_000;
    },
    { settings: { 'marketplace.upstream_registry': source }, clock: { now: () => Date.now() + ahead } },
  );
});
