import t from 'tap';
import { migrations } from '../../../extensions/members/migrations/index.js';
import type { StoredMember } from '../../../extensions/members/store/members.js';
import { nameKeyOf } from '../../../extensions/members/store/names.js';
import { openStore, type Store } from '../../../extensions/members/store.js';
import { eachDatabase } from '../../helpers/databases.js';
import { watchStatements } from '../chat/statements.js';

const created_at = '2030-01-01T00:00:00.000Z';
const nicknames = ['Zoe', 'Émile', 'emil', 'Ádám', 'adele', 'Émile', '100%'];

async function fill(store: Store): Promise<void> {
  for (const [index, nickname] of nicknames.entries()) {
    const row = { username: `user-${index + 1}`, nickname, role: 'member' as const, is_virtual: index % 3 === 0, remote_node_id: null };
    await store.members.insert({ ...row, password_hash: null, created_at });
  }
}

t.test('members are paged by name, ignoring case and accents, without excluded ones', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('members', migrations);
    const store = openStore(data.facade('members'));
    await fill(store);
    const named = async (filter: Partial<Parameters<Store['directory']['byName']>[0]>) =>
      (await store.directory.byName({ keyword: '', except: [], limit: 100, offset: 0, ...filter })).map(({ id }) => id);
    t.same(await named({}), [7, 4, 5, 3, 2, 6, 1]);
    t.same(await named({ limit: 3, offset: 2 }), [5, 3, 2]);
    t.same(await named({ except: [4, 2, 99] }), [7, 5, 3, 6, 1]);
    t.same(await named({ keyword: 'ÉMI' }), [2, 6]);
    t.same(await named({ keyword: '%', except: [1] }), [7], 'a wildcard character is matched literally');
    t.same([...(await store.directory.matching([1, 3, 4, 5], 'e'))].sort(), [1, 3, 4, 5], 'user names are searched too');
    t.same([...(await store.directory.matching([1, 3, 4, 5], 'emil'))], [3]);
    t.same([...(await store.directory.matching([], 'emil'))], []);

    const member = await store.members.byId(1);
    await store.members.update(member as StoredMember, { nickname: 'Abel' });
    t.same(await named({ limit: 2 }), [7, 1], 'a renamed member is sorted by its new name');
  });
});

t.test('a page by name is read in the order of its index, and counts of a kind by that kind', async (t) => {
  const seen = watchStatements('members_members');
  await eachDatabase(t, async (t, data) => {
    // PostgreSQL scans tables as small as this one.
    if (data.dialect !== 'sqlite') return;
    await data.migrate('members', migrations);
    const db = data.facade('members');
    const store = openStore(db);
    await fill(store);
    seen.splice(0);
    await store.directory.byName({ keyword: '', except: [1], limit: 2, offset: 0 });
    await store.members.counts();
    const statements = seen.splice(0);
    t.equal(statements.length, 4);
    for (const sql of statements) {
      const plan = (await db.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)).map(({ detail }) => detail);
      t.match(plan.join(', '), /^(SCAN|SEARCH) \w+ USING (COVERING )?INDEX members_members_(name|kind|of_kind)\b/, sql);
    }
  });
});

t.test('a page has the total for its filter', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('members', migrations);
    const store = openStore(data.facade('members'));
    await fill(store);
    const page = async (keyword: string, is_virtual?: boolean) => {
      const { items, total } = await store.directory.page({ keyword, is_virtual, active: undefined, limit: 2, offset: 1 });
      return [items.map(({ id }) => id), total];
    };
    t.same(await page(''), [[2, 3], 7]);
    t.same(await page('', false), [[3, 5], 4]);
    t.same(await page('', true), [[4, 7], 3]);
    t.same(await page('émile'), [[6], 2]);
    t.same(await page('émile', true), [[], 0]);
  });
});

t.test('sort keys are added for all members from before they existed', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('members', migrations);
    const db = data.facade('members');
    const store = openStore(db);
    await db.transaction(async () => {
      for (let n = 0; n < 501; n += 1) {
        const row = { username: `user-${n}`, nickname: `Ünal ${n}`, role: 'member' as const, is_virtual: false, remote_node_id: null };
        await store.members.insert({ ...row, password_hash: null, created_at });
      }
    });
    await db.run('UPDATE members_members SET name_key = NULL');
    await store.members.fillNameKeys();
    const [row] = await db.rows<{ keys: number | string }>(`SELECT count(*) AS keys FROM members_members WHERE name_key LIKE 'unal %'`);
    t.equal(Number(row?.keys), 501);
  });
});

t.test('similar names are found by prefix, ignoring case', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('members', migrations);
    const store = openStore(data.facade('members'));
    for (const username of ['Ada', 'ada-2', 'adam', 'ad', 'bada'])
      await store.members.insert({
        username,
        nickname: username,
        role: 'member',
        is_virtual: false,
        remote_node_id: null,
        password_hash: null,
        created_at,
      });
    t.same([...(await store.members.namesLike('ADA'))].sort(), ['ada', 'ada-2', 'adam']);
  });
});

t.test('limits the sort key of members to its column', (t) => {
  t.equal(nameKeyOf('Ångström'), 'angstrom');
  t.equal(nameKeyOf('\u{FDFA}'.repeat(64)).length, 64, 'a character that expands to eighteen');
  t.equal(nameKeyOf('\u{1F600}'.repeat(64)), '\u{1F600}'.repeat(64), 'a character of two code units counts once');
  t.end();
});
