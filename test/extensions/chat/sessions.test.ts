import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { until } from '../../helpers/eventually.js';
import { watchStatements } from './statements.js';
import { administrator, converse, failureOf, onEachPlatform, someone } from './world.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

t.test('a session can be opened, shown, listed and deleted over both transports', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const me = await someone(t, platform);
    for (const client of [me.direct, me.http]) {
      const session = await client.sessions.create({ title: 'Plans', target_type: 'ai', target_id: '' });
      t.match(session.id, uuid);
      t.match(session.created_at, time);
      t.same(session, {
        id: session.id,
        title: 'Plans',
        target_type: 'ai',
        target_id: '',
        created_by: me.id,
        created_at: session.created_at,
        updated_at: session.created_at,
        last_message_at: null,
        last_message_preview: '',
        unread_count: 0,
        active_task_id: null,
        active_task_ids: [],
        visibility: 'private',
        topic: '',
        member_count: 2,
        mention_count: 0,
        role: 'member',
        notifications: { level: 'mentions', muted_until: null },
      });
      t.same(await client.sessions.get({ session_id: session.id }), session);
      t.same(await client.sessions.list({ limit: 20, offset: 0 }), [session]);
      t.equal(await client.sessions.delete({ session_id: session.id }), undefined);
      t.same(await client.sessions.list({ limit: 20, offset: 0 }), []);
      t.same(await failureOf(client.sessions.get({ session_id: session.id })), { code: 'session_not_found', status: 404 });
      t.same(await failureOf(client.sessions.delete({ session_id: session.id })), { code: 'session_not_found', status: 404 });
    }
  });
});

t.test('opening a session of notes takes one statement for each of its two rows', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const me = await someone(t, platform);
    const [sessions, participants] = [watchStatements('chat_sessions'), watchStatements('chat_participants')];
    await me.direct.sessions.create({ title: 'Plans', target_type: '', target_id: '' });
    t.same([sessions.length, participants.length], [1, 1]);
  });
});

t.test('the list is paged by latest activity and can be filtered by kind of partner', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const client = (await someone(t, platform)).direct;
    const titles = async (query: object) => (await client.sessions.list({ limit: 20, offset: 0, ...query })).map(({ title }) => title);
    const create = async (title: string, target_type: 'ai' | '') => {
      const made = await client.sessions.create({ title, target_type, target_id: '' });
      // Two of the same millisecond have no order.
      await until(Date.now, (now) => now > Date.parse(made.created_at));
      return made;
    };
    for (const title of ['one', 'two', 'three']) await create(title, 'ai');
    const notes = await create('notes', '');
    t.same(await titles({}), ['notes', 'three', 'two', 'one']);
    t.same(await titles({ limit: 2, offset: 1 }), ['three', 'two']);
    t.same(await titles({ target_type: 'ai' }), ['three', 'two', 'one']);
    t.same(await titles({ target_type: '' }), ['notes']);
    t.same(await titles({ target_type: 'robots' }), []);
    const [one] = (await client.sessions.list({ limit: 1, offset: 3 })).map(({ id }) => id);
    await converse(client, 'Hello', one);
    t.same(await titles({}), ['one', 'notes', 'three', 'two']);
    t.equal(notes.target_type, '');
  });
});

t.test('a partner must exist and be of the given kind', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const client = administrator(platform);
    const [employee] = await client.members.list_virtual({});
    const { id } = await someone(t, platform);
    const open = (target_type: 'ai' | 'member' | '', target_id: string | number) =>
      failureOf(client.sessions.create({ title: '', target_type, target_id }));
    const invalid = { code: 'invalid_input', status: 400 };
    t.equal(await open('ai', String(employee?.id)), undefined);
    t.equal(await open('ai', employee?.id as number), undefined, 'the target may be digits or a number');
    t.equal(await open('member', id), undefined);
    t.same(await open('ai', id), invalid, 'a person is not accepted as an AI employee');
    t.same(await open('member', employee?.id as number), invalid, 'an AI employee is not accepted as a person');
    t.same(await open('member', 1), invalid, 'oneself');
    t.same(await open('member', ''), invalid);
    t.same(await open('ai', 4711), invalid);
    t.same(await open('ai', '2; DROP TABLE'), invalid);
    t.same(await open('', '2'), invalid);
    t.same(await open('robot' as 'ai', ''), invalid);
    await t.rejects(client.sessions.create({ title: '', target_type: 'robot' as 'ai', target_id: '' }), {
      message: /"target_type" must be one of/,
    });
  });
});

t.test("another member's session is not found, even by an administrator", async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const ada = (await someone(t, platform)).http;
    const bob = await someone(t, platform);
    const { sent, reply } = await converse(ada, 'A secret');
    const { session_id, message_id, task_id } = sent;
    const no = (code: string) => ({ code, status: 404 });
    t.same(await bob.http.sessions.list({ limit: 20, offset: 0 }), []);
    for (const client of [bob.http, bob.direct, administrator(platform)]) {
      t.same(await failureOf(client.sessions.get({ session_id })), no('session_not_found'));
      t.same(await failureOf(client.sessions.delete({ session_id })), no('session_not_found'));
      t.same(await failureOf(client.sessions.stream({ session_id })), no('session_not_found'));
      t.same(await failureOf(client.messages.list({ session_id, limit: 50 })), no('session_not_found'));
      t.same(await failureOf(client.chat.send({ content: 'Me too', session_id })), no('session_not_found'));
      for (const id of [message_id, reply.id]) {
        t.same(await failureOf(client.messages.get({ message_id: id })), no('message_not_found'));
        t.same(await failureOf(client.messages.stream({ message_id: id })), no('message_not_found'));
        t.same(await failureOf(client.chat.abort({ message_id: id })), no('message_not_found'));
      }
      t.same(await failureOf(client.tasks.get({ task_id: task_id as string })), no('task_not_found'));
      t.same(await failureOf(client.tasks.stream({ task_id: task_id as string })), no('task_not_found'));
      t.same(await failureOf(client.tasks.cancel({ task_id: task_id as string })), no('task_not_found'));
    }
    t.equal((await ada.messages.list({ session_id, limit: 50 })).length, 2);
  });
});

t.test('two people in a session each see it with the other as partner and their own unread count', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [adas, bobs] = [await someone(t, platform), await someone(t, platform)];
    const [ada, bob] = [adas.http, bobs.http];
    const session = await ada.sessions.create({ title: 'Lunch', target_type: 'member', target_id: bobs.id });
    const sent = await ada.chat.send({ content: 'Hungry?', session_id: session.id });
    t.equal(sent.task_id, null, 'nobody answers automatically');
    const [seen] = await bob.sessions.list({ limit: 20, offset: 0 });
    t.match(seen, { id: session.id, target_type: 'member', target_id: String(adas.id), unread_count: 1, last_message_preview: 'Hungry?' });
    t.match(await ada.sessions.get({ session_id: session.id }), { target_id: String(bobs.id), unread_count: 0 });

    await bob.sessions.delete({ session_id: session.id });
    t.same(await bob.sessions.list({ limit: 20, offset: 0 }), [], 'the session is hidden for the member who deleted it');
    t.equal((await ada.sessions.list({ limit: 20, offset: 0 })).length, 1, 'the session stays visible to the partner');
    await ada.chat.send({ content: 'Now?', session_id: session.id });
    t.match(await bob.sessions.get({ session_id: session.id }), { unread_count: 1 }, 'the next message makes the session visible again');
    await bob.chat.send({ content: 'Yes', session_id: session.id });
    t.match(await bob.sessions.get({ session_id: session.id }), { unread_count: 0 }, 'sending marks messages as read');
    t.same(
      (await ada.messages.list({ session_id: session.id, limit: 50 })).map(({ sender_id, sender_name, content }) => [
        sender_id,
        sender_name,
        content,
      ]),
      [
        [adas.id, adas.name, 'Hungry?'],
        [adas.id, adas.name, 'Now?'],
        [bobs.id, bobs.name, 'Yes'],
      ],
    );
  });
});

t.test("a deleted member's own sessions are deleted; shared ones stay with the partner", async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const admin = administrator(platform);
    const [adas, bobs] = [await someone(t, platform), await someone(t, platform)];
    const [ada, bob] = [adas.http, bobs.http];
    const own = await converse(ada, 'Mine');
    const shared = await ada.sessions.create({ title: 'Lunch', target_type: 'member', target_id: bobs.id });
    await ada.chat.send({ content: 'Hungry?', session_id: shared.id });
    const employee = await admin.members.create_virtual({ name: 'Vic' });
    const with_vic = await bob.sessions.create({ title: 'Vic', target_type: 'ai', target_id: String(employee.id) });
    await converse(bob, 'Hi', with_vic.id);
    await converse(bob, 'Default');

    await admin.members.delete({ id: adas.id });
    await admin.members.delete({ id: employee.id });
    t.same((await bob.sessions.list({ limit: 20, offset: 0 })).map(({ title }) => title).sort(), ['Default', 'Lunch']);
    t.same(
      (await bob.messages.list({ session_id: shared.id, limit: 50 })).map(({ sender_id, sender_name, content }) => [
        sender_id,
        sender_name,
        content,
      ]),
      [[null, 'Deleted member', 'Hungry?']],
    );
    t.same(await failureOf(bob.messages.get({ message_id: own.sent.message_id })), { code: 'message_not_found', status: 404 });
  });
});

t.test('leaving an idle stream does not wait for its next event', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const me = await someone(t, platform);
    const { id: session_id } = await me.direct.sessions.create({ title: 'Quiet', target_type: '', target_id: '' });
    const caller = await platform.kernel.tokenCaller(me.token, 'direct');
    const { body } = await platform.kernel.invoke('sessions.stream', { session_id }, caller);
    const reader = (body as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    const next = reader.next();
    await pause(50);
    const begun = performance.now();
    await reader.return?.();
    t.same(await next, { done: true, value: undefined });
    t.ok(performance.now() - begun < 5_000);
  });
});
