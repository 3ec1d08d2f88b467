import t, { type Test } from 'tap';
import { migrations } from '../../../../extensions/chat/migrations/index.js';
import { defineModels } from '../../../../extensions/chat/models.js';
import { Followers } from '../../../../extensions/chat/store/followers-sql.js';
import { ReadPositions } from '../../../../extensions/chat/store/read-positions-sql.js';
import { RoomRows } from '../../../../extensions/chat/store/rooms-sql.js';
import { Sessions } from '../../../../extensions/chat/store/sessions-sql.js';
import type { Database } from '../../../../kernel/contract/index.js';
import { eachDatabase } from '../../../helpers/databases.js';
import { type Plans, plansOf } from '../plans.js';

const rooms = 2_000;
const large = 'room-1';
const now = '2030-01-01T00:00:00.000Z';
const [me, listener] = [7, 9];

/** Rooms of four members and one of thousands, with ten messages each; one in a hundred is open. The member has more pairs than rooms. */
async function fill(db: Database): Promise<void> {
  const insert = async (last: number, into: string, select: string) =>
    db.run(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${last}) INSERT INTO ${into} ${select}`);
  await insert(
    rooms,
    `chat_sessions (id, title, target_type, created_by, created_at, updated_at, last_message_preview, last_ms, visibility, room_no,
      message_count, member_count)`,
    `SELECT 'room-' || n, 'Plans', 'room', 1, '${now}', '${now}', '', 0, CASE WHEN n % 100 = 2 THEN 'open' ELSE 'private' END, n, 10, 4
      FROM numbers`,
  );
  const participants = 'chat_participants (session_id, member_id, target_type, target_id, unread_count, hidden, activity_at, kind, level)';
  const others = `'room', '', 0, 0, '${now}', 'person', 'mentions' FROM numbers`;
  await insert(rooms * 4, participants, `SELECT 'room-' || (1 + n % ${rooms}), 100 + n / ${rooms}, ${others}`);
  await insert(5_000, participants, `SELECT '${large}', 1000 + n, ${others}`);
  await insert(rooms / 100, participants, `SELECT 'room-' || (n * 100 + 1), ${me}, ${others}`);
  await insert(1, participants, `SELECT '${large}', ${me}, ${others}`);
  await insert(2_000, participants, `SELECT 'pair-' || n, ${me}, 'ai', '2', 0, 0, '${now}', 'person', 'mentions' FROM numbers`);
  await insert(1, participants, `SELECT '${large}', ${listener}, 'room', '', 0, 0, '${now}', 'person', 'all' FROM numbers`);
  await insert(
    rooms * 10,
    `chat_messages (id, session_id, role, sender_id, sender_name, content, images, status, tool_calls, seq, created_at, updated_at, no, ordinal)`,
    `SELECT 'message-' || n, 'room-' || (1 + n % ${rooms}), 'user', 100, 'Ada', '', '[]', 'completed', '[]', 1, '2026-' || (1000000 + n), '',
      n, n / ${rooms} FROM numbers`,
  );
  await db.run(`INSERT INTO chat_mentions (message_id, member_id, session_id, sender_id, created_at)
    SELECT id, 100 + no % 100, session_id, 100, created_at FROM chat_messages`);
  await db.run(`INSERT INTO chat_thread_followers (root_id, member_id, session_id, read_count)
    SELECT id, 100 + no % 100, session_id, 0 FROM chat_messages`);
  if (db.dialect === 'postgres') await db.run('ANALYZE');
}

/** Statements of lists, counts, sends and searches of rooms, as their callers run them. */
async function use(db: Database): Promise<void> {
  const models = defineModels(db);
  const [sessions, positions, rows] = [new Sessions(db, models), new ReadPositions(db), new RoomRows(db, models)];
  const followers = new Followers(db, models.followers);
  const page = { limit: 20, offset: 0 };
  await sessions.list(me, page);
  await sessions.list(me, { ...page, target_type: 'room' });
  await sessions.list(me, { ...page, target_type: 'ai' });
  await sessions.get(large, me);
  await positions.unread(me);
  await positions.readUpTo([{ session_id: large, member_id: me, message_id: `message-${rooms * 2}` }]);
  await positions.markRead(large, me);
  await rows.numbersOf(me);
  await rows.numbersOf(me, large);
  await rows.employees(large);
  await rows.among(large, [me, listener]);
  await rows.roomsOf(me);
  await rows.emptiedBefore(now, 10);
  await rows.listOpen(me, { query: 'plan', ...page });
  await rows.notified(large, { ids: [me], now });
  t.ok(await rows.hasListeners(large));
  const message = { session_id: large, message_id: `message-${rooms}`, sender_id: 100, mentioned: [me] };
  await rows.listeners({ ...message, everyone: false }, { now, among: undefined });
  await rows.listeners({ ...message, everyone: true }, { now, among: [me] });
  await sessions.nextTurn(me, large, 1);
  const in_room = { message_id: message.message_id, in_thread: false };
  await sessions.arrived([{ session_id: large, preview: '', created_at: now, sender_id: me, in_room }], now);
  await followers.add({ root_id: message.message_id, session_id: large }, { writer: me, mentioned: [listener] });
  await followers.markRead(large, me);
}

/** Reads of a whole table or index in a plan, or of all sessions of a member; the index of open rooms alone may be read whole. */
const whole = {
  sqlite: /^SCAN (?!o\b|u\b|pairs\b|v\b)[a-z]\w*(?! USING (?:COVERING )?INDEX chat_sessions_open)\b.*$|.*AUTOMATIC.*/m,
  postgres: /Seq Scan on chat_.*|Index (?:Only )?Scan using (?!chat_sessions_open)\w+ on .*\n(?!\s+Index Cond).*/,
};

function readsLittle(t: Test, plans: Plans, dialect: keyof typeof whole): void {
  t.ok(plans.size > 20, `${plans.size} statements`);
  for (const [sql, plan] of plans) t.notMatch(plan, whole[dialect], sql);
  const planOf = (part: RegExp) => [...plans].find(([sql]) => part.test(sql))?.[1] ?? 'There is none';
  t.match(planOf(/kind = 'ai'/), /chat_participants_employees/, 'AI employees are found without reading all members');
  t.match(planOf(/level = 'all' LIMIT 1/), /chat_participants_all/, 'so are members who want to know of each message');
  t.match(planOf(/s\.room_no FROM[^$]*\$1[^$]*$/), /chat_participants_rooms/);
  t.match(planOf(/count\(\*\) AS total/), /chat_sessions_open/);
}

t.test('no statement of rooms reads a whole table', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('chat', migrations);
    const db = data.facade('chat');
    await fill(db);
    await db.transaction(async () => {
      // PostgreSQL reads tables of this size whole, although there are indexes.
      const reads = db.dialect === 'postgres' ? ['seqscan', 'hashjoin', 'mergejoin'] : [];
      for (const read of reads) await db.run(`SET LOCAL enable_${read} = off`);
      readsLittle(t, await plansOf(db, 'chat_', () => use(db)), db.dialect);
    });
  });
});
