import t from 'tap';
import { migrations } from '../../../../extensions/chat/migrations/index.js';
import { SearchQuery } from '../../../../extensions/chat/search/query.js';
import { SearchIndex } from '../../../../extensions/chat/store/search-sql.js';
import type { Database } from '../../../../kernel/contract/index.js';
import { eachDatabase } from '../../../helpers/databases.js';

const [me, other] = [7, 8];
const time = '2026-01-01T00:00:00.000Z';

/** A message with a number of its own, as after millions of others. */
async function store(db: Database, { no, session_id, content }: { no: number; session_id: string; content: string }): Promise<void> {
  await db.run(
    `INSERT INTO chat_messages (id, session_id, role, sender_name, content, images, status, tool_calls, seq, created_at, updated_at, no)
     VALUES ($1, $2, 'user', '', $3, '[]', 'completed', '[]', 1, $4, $4, $5)`,
    [`m-${no}`, session_id, content, new Date(Date.parse(time) + no).toISOString(), no],
  );
  await add(db, { no, session_id, content });
}

async function add(db: Database, { no, session_id, content }: { no: number; session_id: string; content: string }): Promise<void> {
  const rows = await db.rows<{ member_id: number }>('SELECT member_id FROM chat_participants WHERE session_id = $1', [session_id]);
  await new SearchIndex(db).addAll([{ no, session_id, content, readers: { ids: rows.map(({ member_id }) => member_id) } }]);
}

async function participate(db: Database, session_id: string, member_id: number, hidden = 0): Promise<void> {
  await db.run(
    `INSERT INTO chat_participants (session_id, member_id, target_type, target_id, unread_count, hidden, activity_at)
     VALUES ($1, $2, '', '', 0, $3, $4)`,
    [session_id, member_id, hidden, time],
  );
}

t.test('a search returns matches from the newest section of the index to the oldest, up to the limit', (t) =>
  eachDatabase(t, async (t, data) => {
    await data.migrate('chat', migrations);
    const db = data.facade('chat');
    await participate(db, 'a', me);
    await participate(db, 'b', me);
    await participate(db, 'c', other);
    const numbers = [1, 2, 16_383, 16_384, 16_385, 40_000, 200_000, 1_000_000, 5_000_000, 5_000_001];
    for (const no of numbers) await store(db, { no, session_id: no % 2 ? 'a' : 'b', content: `needle 世界 number ${no}` });
    await store(db, { no: 5_000_002, session_id: 'c', content: 'needle 世界' });
    const index = new SearchIndex(db);
    const find = (q: string, more: object = {}) =>
      index.find({ wanted: new SearchQuery(q).wanted, member_id: me, rooms: [], before: Number.MAX_SAFE_INTEGER, limit: 100, ...more });
    const newest = [...numbers].reverse();
    t.same(await find('needle'), newest);
    t.same(await find('number need'), newest);
    t.same(await find('世'), newest);
    t.same(await find('世界'), newest);
    t.same(await find('need', { limit: 3 }), newest.slice(0, 3));
    t.same(await find('need', { limit: 3, before: 1_000_000 }), [200_000, 40_000, 16_385]);
    t.same(await find('need', { before: 2 }), [1]);
    t.same(await find('need', { before: 1 }), []);
    t.same(await find('need', { session_id: 'a' }), [5_000_001, 16_385, 16_383, 1]);
    t.same(await find('200000'), [200_000]);
    t.same(await find('needle', { member_id: other }), [5_000_002], "another's");
    t.same(await find('needle', { member_id: 9 }), [], "nobody's");
    await db.run("UPDATE chat_participants SET hidden = 1 WHERE session_id = 'b'");
    t.same(await find('needle', { limit: 3 }), [5_000_001, 16_385, 16_383], 'hidden messages are excluded before the limit is applied');
    await index.deleteOf(['a']);
    for (const removed of [3, 1, 0]) t.equal(await index.removeQueued(3), removed);
    t.same(await find('needle'), []);
    await add(db, { no: 1, session_id: 'a', content: 'another text' });
    t.same(await find('another'), [1], 'an updated index row replaces the old one');
    t.same(await find('needle'), []);
  }),
);

t.test("the index row of a long message stays within the database's limit", (t) =>
  eachDatabase(t, async (t, data) => {
    await data.migrate('chat', migrations);
    const db = data.facade('chat');
    for (const member_id of [me, other]) await participate(db, 'a', member_id);
    const words = (count: number, word: (index: number) => string) => Array.from({ length: count }, (_, index) => word(index)).join(' ');
    const texts = [
      words(50_000, (index) => `word${index}`),
      words(30_000, (index) => `слово-длинное-${index.toString(36)}`),
      Array.from({ length: 60_000 }, (_, index) => String.fromCharCode(0x4e00 + ((index * 7_919) % 20_000))).join(''),
      words(9_000, (index) => `${'ह'.repeat(30)}${index}`),
      `ก${'\u0e31'.repeat(50_000)}`,
      'x'.repeat(1_000_000),
      '𝕏'.repeat(100_000),
      `${'e\u0301'.repeat(40_000)}`,
    ];
    for (const [index, content] of texts.entries()) {
      const begun = performance.now();
      await store(db, { no: index + 1, session_id: 'a', content });
      t.ok(performance.now() - begun < 20_000);
    }
    const { wanted } = new SearchQuery('word77');
    t.same(await new SearchIndex(db).find({ wanted, member_id: other, rooms: [], before: 100, limit: 10 }), [1]);
  }),
);
