import t, { type Test } from 'tap';
import { openData } from '../../../../kernel/platform/data/hub.js';
import { freshPostgres, silentLog, systemClock, temporaryFolder } from '../../../helpers/databases.js';
import { until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { startPlatform } from '../../../helpers/platform.js';
import { administrator } from '../world.js';

interface Place {
  data_dir: string;
  database_url: string;
}

/** Takes the database back to before there was a search. */
async function withoutSearch({ data_dir, database_url }: Place): Promise<void> {
  const data = await openData({ url: database_url, data_dir, clock: systemClock, log: silentLog });
  const db = data.facade('chat');
  for (const sql of [
    'DROP TABLE chat_search',
    'DROP TABLE chat_search_backlog',
    'DROP TABLE chat_search_removals',
    'DROP INDEX chat_messages_no',
    'ALTER TABLE chat_messages DROP COLUMN no',
    "DELETE FROM kernel_migrations WHERE owner = 'chat' AND name IN ('0010-search', '0050-search-removals')",
  ]) {
    await db.run(sql);
  }
  await data.close();
}

async function upgrades(t: Test, place: Place): Promise<void> {
  const old = await startPlatform(t, { settings: { ...place } });
  const client = administrator(old);
  const notes = await client.sessions.create({ title: '', target_type: '', target_id: '' });
  const other = await client.sessions.create({ title: '', target_type: '', target_id: '' });
  for (let number = 0; number < 130; number += 1) {
    await client.chat.send({ content: `note ${number} 世界`, session_id: number % 2 ? notes.id : other.id });
  }
  await old.kernel.close();
  await withoutSearch(place);

  const upgraded = administrator(await startPlatform(t, { settings: { ...place } }));
  await upgraded.chat.send({ content: 'note 130', session_id: notes.id });
  t.equal((await upgraded.messages.search({ q: 'note 130', limit: 1 }))[0]?.content, 'note 130', 'new messages are found at once');
  const found = await until(
    () => upgraded.messages.search({ q: 'note', limit: 200 }),
    ({ length }) => length === 131,
  );
  const numbers = found.filter(({ session_id }) => session_id === notes.id).map(({ content }) => Number(content.split(' ')[1]));
  t.same(numbers, [130, ...Array.from({ length: 65 }, (_, index) => 129 - 2 * index)], 'earlier messages are found too, in their order');
  t.equal((await upgraded.messages.search({ q: '界', session_id: other.id, limit: 200 })).length, 65);
}

t.test('messages from before the search index are indexed in the background', async (t) => {
  await t.test('sqlite', async (t) => upgrades(t, { data_dir: await temporaryFolder(t), database_url: 'sqlite:' }));
  await t.test('postgres', { skip: skipWithout('postgres') }, async (t) =>
    upgrades(t, { data_dir: await temporaryFolder(t), database_url: await freshPostgres() }),
  );
});
