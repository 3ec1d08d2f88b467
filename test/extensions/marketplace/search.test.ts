import t from 'tap';
import type { SearchInput } from '../../../extensions/marketplace/contract.js';
import { pluginZip } from '../../kernel/core/plugins/bundle.js';
import { approved, type MarketClient, onEach, publish } from './world.js';

const shelf = [
  {
    id: 'acme.mail',
    name: 'Mail',
    description: 'Sends 100% of your letters. 手紙を送る',
    author: 'Acme',
    category: 'office',
    tags: ['mail', 'Büro'],
  },
  { id: 'acme.chart', name: 'Ärger_Chart', description: 'Draws charts.', author: 'Acme', category: 'office', tags: ['mail', 'charts'] },
  { id: 'zeta.chart', name: 'Zeta', description: 'Draws charts as well!', author: 'Zeta & Sons', category: 'art', tags: ['charts'] },
] as const;

const found = async (client: MarketClient, input: Partial<SearchInput>) => {
  const { items, total } = await client.marketplace.search({ limit: 50, offset: 0, upstream: true, ...input });
  return { ids: items.map(({ id }) => id), total };
};

t.test('extensions are found by words in any field and case, by type, category and tags', async (t) => {
  await onEach(t, async (t, { admin, ada, bob }) => {
    for (const each of shelf) await approved({ admin, ada }, { ...each, tags: [...each.tags] });
    const expected: [Partial<SearchInput>, string[]][] = [
      [{}, ['acme.chart', 'acme.mail', 'zeta.chart']],
      [{ query: '' }, ['acme.chart', 'acme.mail', 'zeta.chart']],
      [{ query: 'CHARTS' }, ['acme.chart', 'zeta.chart']],
      [{ query: 'charts acme' }, ['acme.chart']],
      [{ query: 'büro' }, ['acme.mail']],
      [{ query: '手紙' }, ['acme.mail']],
      [{ query: '手送' }, []],
      [{ query: `${'a '.repeat(20)}zzz` }, []],
      [{ query: 'ÄRGER' }, ['acme.chart']],
      [{ query: 'sons' }, ['zeta.chart']],
      [{ query: '%' }, ['acme.mail']],
      [{ query: '0%' }, ['acme.mail']],
      [{ query: 'c%t' }, []],
      [{ query: '_' }, ['acme.chart']],
      [{ query: '!' }, ['zeta.chart']],
      [{ query: `'; DROP TABLE marketplace_versions; --` }, []],
      [{ query: '\\' }, []],
      [{ tags: 'mail' }, ['acme.chart', 'acme.mail']],
      [{ tags: ' MAIL , charts ' }, ['acme.chart']],
      [{ tags: 'mai' }, []],
      [{ tags: ',,' }, ['acme.chart', 'acme.mail', 'zeta.chart']],
      [{ tags: 'büro' }, ['acme.mail']],
      [{ category: 'art' }, ['zeta.chart']],
      [{ category: 'office', query: 'draws' }, ['acme.chart']],
      [{ type: 'plugin' }, ['acme.chart', 'acme.mail', 'zeta.chart']],
      [{ type: 'skill' }, []],
      [{ type: '' }, ['acme.chart', 'acme.mail', 'zeta.chart']],
    ];
    for (const [input, ids] of expected) t.same(await found(bob.client, input), { ids, total: ids.length }, JSON.stringify(input));
    t.same(await found(bob.client, { limit: 2 }), { ids: ['acme.chart', 'acme.mail'], total: 3 });
    t.same(await found(bob.client, { limit: 2, offset: 2 }), { ids: ['zeta.chart'], total: 3 });
    t.same(await found(bob.client, { limit: 2, offset: 5 }), { ids: [], total: 3 });
  });
});

t.test('a search finds each id once, by its newest approved version, the most installed first', async (t) => {
  await onEach(t, async (t, { admin, ada, bob }) => {
    for (const version of ['1.9.0', '1.10.0', '2.0.0-beta.1'])
      await approved({ admin, ada }, { id: 'guest', version, description: `It is ${version}.` });
    await approved({ admin, ada }, { id: 'other' });
    await publish(ada, pluginZip({ version: '3.0.0' }));
    const search = async () =>
      (await bob.client.marketplace.search({ limit: 50, offset: 0, upstream: true })).items.map(({ id, version }) => `${id} ${version}`);
    t.same(await search(), ['guest 2.0.0-beta.1', 'other 1.0.0']);
    t.same(await found(bob.client, { query: '1.10.0' }), { ids: [], total: 0 }, 'older versions are not found');
    await admin.marketplace.yank({ id: 'guest', version: '2.0.0-beta.1', reason: '' });
    t.same(await search(), ['guest 1.10.0', 'other 1.0.0']);
    await admin.marketplace.install({ id: 'other', accept_permissions: false });
    t.same(await search(), ['other 1.0.0', 'guest 1.10.0']);
    for (const version of ['1.9.0', '1.10.0']) await admin.marketplace.yank({ id: 'guest', version, reason: '' });
    t.same(await search(), ['other 1.0.0'], 'extensions without an approved version are not found');
    await t.rejects(bob.client.marketplace.get({ id: 'guest', upstream: true }), { code: 'extension_not_found' });
  });
});
