import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Message, Session } from '../../../../extensions/chat/contract.js';
import { claimFile } from '../../../../kernel/platform/data/claim-file.js';
import { openData } from '../../../../kernel/platform/data/hub.js';
import { moveInstallation } from '../../../../kernel/platform/move/installation.js';
import { dataUrl, png } from '../../../extensions/chat/pictures.js';
import { freshPostgres, silentLog, systemClock, temporaryFolder } from '../../../helpers/databases.js';
import { until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { adminPassword, callerOf } from '../../../helpers/platform.js';
import { Side } from '../../../operations/side.js';
import { pluginZip } from '../../core/plugins/bundle.js';

const guest = pluginZip({
  permissions: { storage: true },
  activate: `ctx.expose({ 'guest.count': op('count') }, { 'guest.count': async () => {
    const count = ((await ctx.storage.get('count')) ?? 0) + 1;
    await ctx.storage.set('count', count);
    return { count };
  } });`,
});
const settings = { 'plugins.trusted': ['guest', 'kernel.documents'] };
/** Content of a file, which the search finds. */
const plan = Buffer.from('港の計画');

interface Image {
  images: { url: string }[];
}

t.test('a database that an instance with another data folder uses is not moved', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'own.db');
  await writeFile(file, '');
  const claim = await claimFile(file);
  t.teardown(() => claim.dispose());
  const asked = {
    data_dir: join(folder, 'data'),
    from: `sqlite:${file}`,
    to: 'postgres://127.0.0.1:1/none',
    clock: systemClock,
    log: silentLog,
  };
  await t.rejects(moveInstallation({ ...asked, signal: new AbortController().signal }), { code: 'database_in_use' });
});

t.test('a whole installation works on PostgreSQL as on SQLite', { skip: skipWithout('postgres') }, async (t) => {
  const side = await Side.start(t, 'http', { settings });
  const { kernel, data_dir } = side.platform;
  await kernel.workbench.install(guest);
  t.same(await count(side), { count: 1 });
  const large = Buffer.concat([png(3, 4, 5), Buffer.alloc(1024 * 1024, 7)]);
  const { id: file_id } = await side.give<{ id: string }>('files.upload', { file: { name: 'クレーン.txt', bytes: plan } });
  const { message_id, session_id } = await side.give<{ message_id: string; session_id: string }>('chat.send', {
    content: '港のクレーンは明日動く 😀 Ünïcode',
    images: [{ url: dataUrl(large), mime_type: 'image/png' }],
    files: [file_id],
  });
  const found = async (where: Side, q: string) => {
    const search = () => where.give<{ id: string }[]>('messages.search', { q, limit: 10 });
    return (await until(search, ({ length }) => length > 0)).map(({ id }) => id);
  };
  t.same(await found(side, '計画'), [message_id]);
  const room = await makeRoom(side);
  const schedule = await side.give('schedules.create', {
    name: 'Moved',
    trigger_type: 'interval',
    trigger_value: '1h',
    action: 'notifications.send',
    params: { title: 'Still here', member_ids: [1] },
  });
  await side.give('auth.ticket');
  await kernel.settled();
  const login = await side.give<{ refresh_token: string }>('auth.login', { username: 'bob', password: adminPassword }, 'nobody');
  await kernel.close();
  await fillRest(data_dir);

  const to = await freshPostgres();
  const { tables, missing_blobs } = await moveInstallation({
    data_dir,
    from: 'sqlite:',
    to,
    clock: systemClock,
    log: silentLog,
    signal: new AbortController().signal,
  });
  t.same(missing_blobs, []);
  t.same(
    tables.filter(({ rows }) => rows === 0).map(({ table }) => table),
    [],
    'every table had rows to move',
  );

  const there = await Side.reopen(t, side, { data_dir, database_url: to, ...settings });
  t.same(await count(there), { count: 2 }, 'the plugin is active with its stored data');
  t.same(await found(there, 'クレーン'), [message_id], 'the search finds earlier messages');
  t.same(await found(there, '計画'), [message_id], 'also by the text of their files');
  const message = await there.give<Message & Image>('messages.get', { message_id });
  const image = await fetch(`${there.platform.url}${message.images[0]?.url}`, {
    headers: { authorization: `Bearer ${there.tokens.get('admin')}` },
  });
  t.ok(Buffer.from(await image.arrayBuffer()).equals(large), 'an image of more than a megabyte was moved');
  t.match(await there.give('files.get', { file_id }), { bytes: plan, save_as: 'クレーン.txt' }, 'a file was moved');
  const sent = await there.give<{ message_id: string }>('chat.send', { content: 'and on', session_id });
  t.not(sent.message_id, message_id);
  await roomGoesOn(t, there, room);
  await there.give('auth.refresh', { refresh_token: login.refresh_token }, 'nobody');
  await there.give('auth.login', { username: 'ada', password: adminPassword }, 'nobody');
  await there.give('schedules.run', { id: schedule.id });
  const runs = () => there.give<{ items: { status: string }[] }>('schedules.history', { id: schedule.id });
  await until(runs, ({ items }) => items[0]?.status === 'success');
  const { body } = await there.platform.kernel.invoke('plugins.list', {}, callerOf());
  t.notOk(JSON.stringify(body).includes('"state":"failed"'));
});

interface Room {
  id: string;
  message_id: string;
  /** As ada sees it. */
  record: Session;
}

/** Makes a room of admin and ada, with a message that mentions ada. */
async function makeRoom(side: Side): Promise<Room> {
  const ada = await side.give<{ id: number }>('auth.me', {}, 'ada');
  const { id } = await side.give<{ id: string }>('sessions.create', { title: 'Crew', target_type: 'room', member_ids: [ada.id] });
  const { message_id } = await side.give<{ message_id: string }>('chat.send', { session_id: id, content: 'Quince for @ada' });
  await side.give('reactions.add', { message_id, emoji: '👍' });
  return { id, message_id, record: await side.give<Session>('sessions.get', { session_id: id }, 'ada') };
}

async function roomGoesOn(t: Test, there: Side, { id: session_id, message_id, record }: Room): Promise<void> {
  t.match(record, { member_count: 2, unread_count: 1, mention_count: 1, last_message_preview: 'Quince for @ada' });
  t.same(await there.give<Session>('sessions.get', { session_id }, 'ada'), record, 'a room is as it was');
  const search = async (q: string) => (await there.give<Message[]>('messages.search', { q, limit: 10 }, 'ada')).map(({ id }) => id);
  t.same(await search('quince'), [message_id], 'members find the messages of their rooms');
  // The number of a room comes from a sequence, and is the room's name in the search index.
  const other = await makeRoom(there);
  t.same(await search('quince'), [other.message_id, message_id], 'further rooms get numbers of their own');
  const { mentions, reactions } = await there.give<Message>('messages.get', { message_id }, 'ada');
  t.match([mentions, reactions], [[{ length: 4 }], [{ emoji: '👍', count: 1, mine: false }]]);
}

async function count({ platform }: Side): Promise<unknown> {
  return (await platform.kernel.invoke('guest.count', {}, callerOf())).body;
}

/** The id of nobody and nothing. */
const stranger = 99;

interface Column {
  name: string;
  type: string;
}

/** A row for each table that is still empty. */
async function fillRest(data_dir: string): Promise<void> {
  const data = await openData({ url: 'sqlite:', data_dir, clock: systemClock, log: silentLog });
  const db = data.facade('kernel');
  const names = await db.rows<{ name: string }>("SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite%'");
  for (const { name } of names.filter((table) => table.name !== 'kernel_blob_chunks')) {
    const [found] = await db.rows(`SELECT 1 FROM "${name}" LIMIT 1`);
    if (found) continue;
    const columns = await db.rows<Column>('SELECT name, type FROM pragma_table_info($1)', [name]);
    const references = await db.rows<{ from: string }>('SELECT "from" FROM pragma_foreign_key_list($1)', [name]);
    const leads = new Set(references.map(({ from }) => from));
    const values = columns.map(({ name: column, type }) => {
      if (!/INT|BOOL/.test(type)) return `'"ű"'`;
      // A reference must lead to a row: the administrator is 1.
      return String(type === 'BOOLEAN' || leads.has(column) ? 1 : stranger);
    });
    await db.run(`INSERT INTO "${name}" VALUES (${values.join()})`);
  }
  await data.close();
}
