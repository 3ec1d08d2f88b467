import t from 'tap';
import { migrations } from '../../../../extensions/chat/migrations/index.js';
import { defineModels } from '../../../../extensions/chat/models.js';
import type { Ports } from '../../../../extensions/chat/ports.js';
import { Search } from '../../../../extensions/chat/search/search.js';
import { Messages, page_bytes } from '../../../../extensions/chat/store/messages-sql.js';
import { SearchIndex } from '../../../../extensions/chat/store/search-sql.js';
import type { Database } from '../../../../kernel/contract/index.js';
import { eachDatabase } from '../../../helpers/databases.js';

const me = 7;
const time = (no: number): string => new Date(Date.UTC(2026, 0, 1) + no).toISOString();

async function store(db: Database, no: number, content: string): Promise<void> {
  await db.run(
    `INSERT INTO chat_messages (id, session_id, role, sender_name, content, images, status, tool_calls, seq, created_at, updated_at, no)
     VALUES ($1, 's', 'user', '', $2, '[]', 'completed', '[]', 1, $3, $3, $4)`,
    [`m${no}`, content, time(no), no],
  );
  await new SearchIndex(db).addAll([{ no, session_id: 's', content, readers: { ids: [me] } }]);
}

t.test('a search returns fewer large messages, newest first, and finds small ones in all batches', (t) =>
  eachDatabase(t, async (t, data) => {
    await data.migrate('chat', migrations);
    const db = data.facade('chat');
    await db.run(
      `INSERT INTO chat_participants (session_id, member_id, target_type, target_id, unread_count, hidden, activity_at)
       VALUES ('s', $1, '', '', 0, 0, $2)`,
      [me, time(0)],
    );
    const messages = new Messages(db, defineModels(db));
    const find = async (q: string) => {
      const reactions = { markMine: async (found: object[]) => found };
      const ports = { messages, reactions, rooms: { numbersOf: async () => [] } } as unknown as Ports;
      return (await new Search(ports, new SearchIndex(db)).find({ q, limit: 200 }, me)).map(({ id }) => id);
    };
    const half = ` ${' '.repeat(page_bytes / 2)}`;
    for (let no = 1; no <= 3; no += 1) await store(db, no, `large${half}`);
    for (let no = 4; no <= 50; no += 1) await store(db, no, `small ${no}`);
    t.same(await find('large'), ['m3', 'm2']);
    t.same(
      await find('small'),
      Array.from({ length: 47 }, (_, n) => `m${50 - n}`),
    );
  }),
);
