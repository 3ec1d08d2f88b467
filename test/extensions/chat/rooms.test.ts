import t from 'tap';
import type { Session, SessionMember } from '../../../extensions/chat/contract.js';
import { until } from '../../helpers/eventually.js';
import { type Exchange, say } from '../../helpers/model-server.js';
import { employee, people, roomOf } from './room-members.js';
import { administrator, collect, failureOf, onEachPlatform, type Someone, someone } from './world.js';

const page = { limit: 20, offset: 0 };

t.test('a room is a session of several members, each of whom reads, writes and finds its messages', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben, cleo] = (await people(t, platform, 3)) as [Someone, Someone, Someone];
    const room = await roomOf(ada, [ben, cleo]);
    t.match(room, {
      target_type: 'room',
      target_id: '',
      visibility: 'private',
      topic: '',
      member_count: 3,
      role: 'owner',
      mention_count: 0,
    });
    t.match(await ben.http.sessions.get({ session_id: room.id }), { role: 'member', unread_count: 0, active_task_ids: [] });
    const sent = await ada.http.chat.send({ session_id: room.id, content: 'Marmalade for breakfast' });
    t.match(sent, { task_id: null, task_ids: [], not_in_room: [] });
    for (const one of [ben, cleo]) {
      t.match(await one.http.sessions.list(page), [{ id: room.id, unread_count: 1, last_message_preview: 'Marmalade for breakfast' }]);
      t.match(await one.http.messages.search({ q: 'marmal', limit: 20 }), [{ id: sent.message_id }]);
      t.match(await one.http.messages.search({ q: 'marmalade', session_id: room.id, limit: 20 }), [{ id: sent.message_id }]);
    }
    t.equal((await ada.http.sessions.get({ session_id: room.id })).unread_count, 0, 'the sender has read it');
    await ben.http.chat.send({ session_id: room.id, content: 'Toast' });
    await ben.http.chat.send({ session_id: room.id, content: 'Tea' });
    t.same((await cleo.http.unread.counts({})).counts, { [room.id]: 3 });
    await cleo.http.unread.mark_read({ session_id: room.id });
    t.same((await cleo.http.unread.counts({})).counts, { [room.id]: 0 });
    t.same((await ada.http.unread.counts({})).counts, { [room.id]: 2 });
    t.match(await ada.http.sessions.list({ ...page, target_type: 'room' }), [{ id: room.id }]);
    t.same(await ada.http.sessions.list({ ...page, target_type: 'ai' }), []);
  });
});

t.test('a room without a title is called by the names of its members, and never has an empty title', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben] = (await people(t, platform, 2)) as [Someone, Someone];
    const { id: session_id, title } = await ada.http.sessions.create({
      title: '',
      target_type: 'room',
      target_id: '',
      member_ids: [ben.id],
    });
    const names = (await ada.http.sessions.members({ session_id })).map(({ nickname }) => nickname);
    t.same(title.split(', ').sort(), names.sort());
    t.match(await failureOf(ada.http.sessions.update({ session_id, title: '' })), { code: 'invalid_input' });
    t.match(await ada.http.sessions.update({ session_id, topic: 'Jam' }), { title, topic: 'Jam' });
  });
});

t.test('the list mixes rooms and conversations of two by their last activity', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben] = (await people(t, platform, 2)) as [Someone, Someone];
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const session =
        n % 2 === 0 ? await roomOf(ada, [ben]) : await ada.http.sessions.create({ title: '', target_type: '', target_id: '' });
      await ada.http.chat.send({ session_id: session.id, content: `Number ${n}` });
      ids.unshift(session.id);
    }
    const listed = async (limit: number, offset: number) => (await ada.http.sessions.list({ limit, offset })).map(({ id }) => id);
    t.same(await listed(20, 0), ids);
    t.same([...(await listed(3, 0)), ...(await listed(3, 3))], ids);
    await ben.http.chat.send({ session_id: ids[3] as string, content: 'Back to the top' });
    t.same((await listed(1, 0))[0], ids[3]);
  });
});

t.test('a person who leaves or is removed reads nothing any more, by any door', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben, cleo] = (await people(t, platform, 3)) as [Someone, Someone, Someone];
    const { id: session_id } = await roomOf(ada, [ben, cleo]);
    const { message_id } = await ada.http.chat.send({ session_id, content: 'Quince jelly' });
    const stream = collect(ben.http.sessions.stream({ session_id })).catch((fault: unknown) => fault);
    await ben.http.sessions.remove_member({ session_id, member_id: ben.id });
    await ada.http.sessions.remove_member({ session_id, member_id: cleo.id });
    await ada.http.chat.send({ session_id, content: 'Only for me' });
    const absent = { code: 'session_not_found' };
    for (const one of [ben, cleo]) {
      t.match(await failureOf(one.http.sessions.get({ session_id })), absent);
      t.match(await failureOf(one.http.messages.list({ session_id, limit: 50 })), absent);
      t.match(await failureOf(one.http.messages.get({ message_id })), { code: 'message_not_found' });
      t.same(await one.http.messages.search({ q: 'quince', limit: 20 }), []);
      t.same((await one.http.unread.counts({})).counts, {});
      t.same(await one.http.sessions.list(page), []);
      t.match(await failureOf(one.http.chat.send({ session_id, content: 'Hello?' })), absent);
    }
    t.notMatch(JSON.stringify(await stream), /Only for me/);
  });
});

t.test('only owners change a room, and the last of them cannot leave others behind', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben, cleo] = (await people(t, platform, 3)) as [Someone, Someone, Someone];
    const { id: session_id } = await roomOf(ada, [ben]);
    const forbidden = { code: 'forbidden', status: 403 };
    t.match(await failureOf(ben.http.sessions.update({ session_id, title: 'Mine' })), forbidden);
    t.match(await failureOf(ben.http.sessions.add_member({ session_id, member_ids: [cleo.id] })), forbidden);
    t.match(await failureOf(ben.http.sessions.remove_member({ session_id, member_id: ada.id })), forbidden);
    t.match(await failureOf(ben.http.sessions.update_member({ session_id, member_id: ben.id, role: 'owner' })), forbidden);
    t.match(await failureOf(cleo.http.sessions.update({ session_id, title: 'Mine' })), { code: 'session_not_found' });
    t.match(await ada.http.sessions.update({ session_id, title: 'Our plans', topic: 'Jam' }), { title: 'Our plans', topic: 'Jam' });
    t.match(await ada.http.sessions.update({ session_id }), { title: 'Our plans', topic: 'Jam' }, 'omitted fields stay');
    for (const member of await ben.http.sessions.members({ session_id })) {
      const { member_id, role, answers } = member;
      t.same(await ada.http.sessions.update_member({ session_id, member_id, role, answers }), member, 'a record can be sent back');
    }
    const last = { code: 'last_owner', status: 409 };
    t.match(await failureOf(ada.http.sessions.remove_member({ session_id, member_id: ada.id })), last);
    t.match(await failureOf(ada.http.sessions.update_member({ session_id, member_id: ada.id, role: 'member' })), last);
    t.match(await ada.http.sessions.update_member({ session_id, member_id: ben.id, role: 'owner' }), { member_id: ben.id, role: 'owner' });
    await ada.http.sessions.remove_member({ session_id, member_id: ada.id });
    t.match(await failureOf(ben.http.sessions.update_member({ session_id, member_id: ben.id, role: 'member' })), last, 'even alone');
    await ben.http.sessions.remove_member({ session_id, member_id: ben.id });
    t.match(await failureOf(ben.http.sessions.get({ session_id })), { code: 'session_not_found' });
  });
});

t.test('an open room is found and joined by every member, with its history; a private one by nobody', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben] = (await people(t, platform, 2)) as [Someone, Someone];
    const title = `Öffnung ${ada.name}`;
    const { id: session_id } = await roomOf(ada, [], { title });
    await ada.http.chat.send({ session_id, content: 'Before anybody came' });
    const find = () => ben.http.rooms.list({ query: title.toUpperCase(), ...page });
    t.same(await find(), { items: [], total: 0 });
    t.match(await failureOf(ben.http.sessions.join({ session_id })), { code: 'session_not_found' });
    await ada.http.sessions.update({ session_id, visibility: 'open' });
    t.match(await find(), { items: [{ id: session_id, title, member_count: 1 }], total: 1 });
    t.match(await ben.http.sessions.join({ session_id }), { id: session_id, role: 'member', member_count: 2, unread_count: 0 });
    t.match(await ben.http.sessions.join({ session_id }), { member_count: 2 });
    t.same(await find(), { items: [], total: 0 }, 'it lists rooms that one is not in');
    await ada.http.sessions.update({ session_id, topic: 'Über 100 % Erdbeeren' });
    await ben.http.sessions.remove_member({ session_id, member_id: ben.id });
    t.equal((await ben.http.rooms.list({ query: 'ÜBER 100 % erd', ...page })).total, 1, 'a topic is found too, in any case');
    await ben.http.sessions.join({ session_id });
    t.match(await ben.http.messages.list({ session_id, limit: 50 }), [{ content: 'Before anybody came' }]);
    t.match(await ben.http.messages.search({ q: 'anybody', limit: 20 }), [{ session_id }]);
  });
});

t.test('mentions are resolved when a message is sent, and counted until they are read', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben, cleo] = (await people(t, platform, 3)) as [Someone, Someone, Someone];
    const { id: session_id } = await roomOf(ada, [ben]);
    const content = `😀 @${ben.name}. and @${cleo.name}, not \`@${ben.name}\``;
    const sent = await ada.http.chat.send({ session_id, content });
    t.same(sent.not_in_room, [{ member_id: cleo.id, username: cleo.name }]);
    const { mentions } = await ben.http.messages.get({ message_id: sent.message_id });
    t.same(mentions, [{ member_id: ben.id, offset: 3, length: ben.name.length + 1 }]);
    const counts = async (one: Someone) => (await one.http.sessions.get({ session_id })).mention_count;
    t.same([await counts(ada), await counts(ben)], [0, 1]);
    await ada.http.chat.send({ session_id, content: `@room and @${ben.name}: hear` });
    t.same([await counts(ada), await counts(ben)], [0, 2]);
    await ada.http.messages.edit({ message_id: sent.message_id, content: `@${ben.name} and more` });
    t.equal(await counts(ben), 2, 'an edit keeps the mention');
    await ada.http.messages.edit({ message_id: sent.message_id, content: 'Nobody' });
    t.equal(await counts(ben), 1, 'an edit removes the mention');
    await ada.http.messages.edit({ message_id: sent.message_id, content: `@${ben.name} again` });
    t.equal(await counts(ben), 1, 'a mention that is edited in is not counted');
    const plain = await ben.http.chat.send({ session_id, content: '@room me too' });
    t.same((await ada.http.messages.get({ message_id: plain.message_id })).mentions, [], 'only owners mention everybody');
    t.same([await counts(ada), await counts(ben)], [0, 0], 'who writes has read');
  });
});

t.test('a message that mentions AI employees starts a task of each, side by side, in one stream', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const [ada, ben] = (await people(t, platform, 2)) as [Someone, Someone];
    const [vic, zoe] = [await employee(platform, `Vic ${ada.name}`), await employee(platform, `Zoe ${ada.name}`)];
    const { id: session_id } = await roomOf(ada, [ben, vic, zoe]);
    const asked: Exchange[] = [];
    model.script((exchange) => void asked.push(exchange));
    t.same((await ada.http.chat.send({ session_id, content: 'Nobody is asked' })).task_ids, []);
    const sent = await ada.http.chat.send({ session_id, content: `@${vic.username} and @${zoe.username}: hello` });
    t.equal(sent.task_ids.length, 2);
    t.equal(sent.task_id, sent.task_ids[0]);
    const [one, two] = await until(
      async () => asked,
      ({ length }) => length === 2,
    );
    t.same(new Set((await ben.http.sessions.get({ session_id })).active_task_ids), new Set(sent.task_ids));
    const stream = collect(ben.http.messages.stream({ message_id: sent.message_id }));
    t.match(await failureOf(ben.http.chat.abort({ message_id: sent.message_id })), { code: 'not_the_asker', status: 403 });
    t.match(await failureOf(ben.http.tasks.message({ task_id: sent.task_id as string, content: 'Stop' })), { code: 'not_the_asker' });
    one?.text('Good morning', 'end');
    two?.text('Good evening', 'end');
    const events = await stream;
    t.same(events.filter(({ type }) => type === 'done').length, 1);
    t.equal(events.at(-1)?.type, 'done');
    t.same(
      new Set(events.filter(({ type }) => type === 'message.completed').map(({ data }) => (data as { task_id: string }).task_id)),
      new Set(sent.task_ids),
    );
    t.match(await ben.http.sessions.get({ session_id }), { active_task_id: null, active_task_ids: [] });
    const seen = await until(
      () => ben.http.messages.list({ session_id, limit: 50 }),
      (messages) => messages.filter(({ role, status }) => role === 'assistant' && status === 'completed').length === 2,
    );
    t.same(new Set(seen.slice(2).map(({ content }) => content)), new Set(['Good morning', 'Good evening']));
    t.match(await ben.http.messages.search({ q: 'evening', session_id, limit: 20 }), [{ role: 'assistant' }]);
  });
});

t.test('when an AI employee answers is set for each room, and its text starts nobody else', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const ada = await someone(t, platform);
    const [vic, zoe] = [await employee(platform, `Vic ${ada.name}`), await employee(platform, `Zoe ${ada.name}`)];
    const { id: session_id } = await roomOf(ada, [vic, zoe]);
    t.match(await ada.http.sessions.update_member({ session_id, member_id: vic.id, answers: 'always' }), { answers: 'always' });
    t.match(await failureOf(ada.http.sessions.update_member({ session_id, member_id: ada.id, answers: 'always' })), {
      code: 'invalid_input',
    });
    model.script(say(`@${zoe.username} do it`));
    const sent = await ada.http.chat.send({ session_id, content: 'Good morning' });
    t.equal(sent.task_ids.length, 1);
    await collect(ada.http.messages.stream({ message_id: sent.message_id }));
    t.same((await ada.http.sessions.get({ session_id })).active_task_ids, []);
    await ada.http.sessions.update_member({ session_id, member_id: vic.id, answers: 'never' });
    t.same((await ada.http.chat.send({ session_id, content: `@${vic.username} hello` })).task_ids, []);
  });
});

t.test('adding a person to a conversation of two opens a room that shows nothing of it', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben, cleo] = (await people(t, platform, 3)) as [Someone, Someone, Someone];
    const { session_id } = await ada.http.contacts.start({ member_id: ben.id });
    await ada.http.chat.send({ session_id, content: 'Just the two of us' });
    const room = (await ben.http.sessions.add_member({ session_id, member_ids: [cleo.id] })) as Session;
    t.match(room, { target_type: 'room', role: 'owner', member_count: 3, last_message_at: null });
    const members = await cleo.http.sessions.members({ session_id: room.id });
    t.same(new Set(members.map(({ member_id }: SessionMember) => member_id)), new Set([ada.id, ben.id, cleo.id]));
    t.same(await cleo.http.messages.list({ session_id: room.id, limit: 50 }), []);
    t.match(await failureOf(cleo.http.sessions.get({ session_id })), { code: 'session_not_found' });
  });
});

t.test('a deleted or deactivated member is out of its rooms, which the longest-standing person takes over', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben, cleo] = (await people(t, platform, 3)) as [Someone, Someone, Someone];
    const admin = administrator(platform);
    const { id: session_id } = await roomOf(ada, [ben, cleo]);
    const { message_id } = await ada.http.chat.send({ session_id, content: 'I was here' });
    await admin.members.delete({ id: ada.id });
    t.match(await ben.http.sessions.get({ session_id }), { role: 'owner', member_count: 2 });
    t.match(await cleo.http.messages.get({ message_id }), { sender_id: null, sender_name: 'Deleted member', content: 'I was here' });
    await admin.members.update({ id: ben.id, active: false });
    t.match(await cleo.http.sessions.get({ session_id }), { role: 'owner', member_count: 1 });
    await admin.members.update({ id: ben.id, active: true });
    t.same((await cleo.http.sessions.members({ session_id })).length, 1, 'a reactivated member is not back');
  });
});

t.test('ending a room removes it for everybody; for others that only means leaving', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben, cleo] = (await people(t, platform, 3)) as [Someone, Someone, Someone];
    const { id: session_id } = await roomOf(ada, [ben, cleo]);
    await cleo.http.sessions.delete({ session_id });
    t.match(await ben.http.sessions.get({ session_id }), { member_count: 2 });
    await ada.http.sessions.delete({ session_id });
    t.match(await failureOf(ben.http.sessions.get({ session_id })), { code: 'session_not_found' });
  });
});

t.test('each member sets its own notifications of a session', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben] = (await people(t, platform, 2)) as [Someone, Someone];
    const { id: session_id } = await roomOf(ada, [ben]);
    const muted_until = '2040-01-01T00:00:00.000Z';
    t.same(await ben.http.sessions.notifications({ session_id, muted_until }), { level: 'mentions', muted_until });
    t.same(await ben.http.sessions.notifications({ session_id, level: 'all' }), { level: 'all', muted_until });
    t.same(await ben.http.sessions.notifications({ session_id, muted_until: null }), { level: 'all', muted_until: null });
    t.match(await ada.http.sessions.get({ session_id }), { notifications: { level: 'mentions', muted_until: null } });
  });
});

t.test('members who send have read everything in the room, inside and outside of threads', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben] = (await people(t, platform, 2)) as [Someone, Someone];
    const { id: session_id } = await roomOf(ada, [ben]);
    const { message_id: thread_id } = await ada.http.chat.send({ session_id, content: 'Where do we meet?' });
    const counts = async () => {
      const { unread_count, mention_count } = await ben.http.sessions.get({ session_id });
      return [unread_count, mention_count];
    };
    await ada.http.chat.send({ session_id, content: `@${ben.name} and when?` });
    t.same(await counts(), [2, 1]);
    await ben.http.chat.send({ session_id, content: 'At the bakery', thread_id });
    t.same(await counts(), [0, 0], 'sending in a thread');
    await ada.http.chat.send({ session_id, content: `@${ben.name} which one?`, thread_id });
    t.same(await counts(), [1, 1]);
    await ben.http.chat.send({ session_id, content: 'At noon' });
    t.same(await counts(), [0, 0], 'sending outside of threads');
  });
});

t.test(
  'replies in a thread are unread for its writers and those mentioned there, and wake AI employees whose message is answered',
  async (t) => {
    await onEachPlatform(t, async (t, { platform, model }) => {
      const [ada, ben, cleo] = (await people(t, platform, 3)) as [Someone, Someone, Someone];
      const vic = await employee(platform, `Vic ${ada.name}`);
      const { id: session_id } = await roomOf(ada, [ben, cleo, vic]);
      const root = await ada.http.chat.send({ session_id, content: 'Where do we meet?' });
      for (const one of [ben, cleo]) await one.http.unread.mark_read({ session_id });
      const unread = async (one: Someone) => (await one.http.unread.counts({})).counts[session_id];
      await ben.http.chat.send({ session_id, content: 'At the bakery', thread_id: root.message_id });
      t.same([await unread(ada), await unread(ben), await unread(cleo)], [1, 0, 0], 'cleo does not follow the thread');
      await ada.http.chat.send({ session_id, content: `@${cleo.name} do you agree?`, thread_id: root.message_id });
      t.same([await unread(ada), await unread(ben), await unread(cleo)], [0, 1, 1]);
      await cleo.http.unread.mark_read({ session_id });
      t.same([await unread(ben), await unread(cleo)], [1, 0]);
      t.match(await ada.http.messages.get({ message_id: root.message_id }), { reply_count: 2 });
      model.script(say('Good choice'));
      const asked = await ada.http.chat.send({ session_id, content: `@${vic.username} and you?`, thread_id: root.message_id });
      await collect(ada.http.messages.stream({ message_id: asked.message_id }));
      const thread = await ada.http.messages.list({ session_id, thread_id: root.message_id, limit: 50 });
      const answer = thread.at(-1);
      t.match(answer, { content: 'Good choice', thread_id: root.message_id, role: 'assistant' });
      const replied = await ben.http.chat.send({ session_id, content: 'Why?', reply_to: answer?.id as string });
      t.equal(replied.task_ids.length, 1, 'answering a message of an AI employee asks it');
      await collect(ben.http.messages.stream({ message_id: replied.message_id }));
    });
  },
);

t.test('an owner may delete messages of others in the room, and nobody else may', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben, cleo] = (await people(t, platform, 3)) as [Someone, Someone, Someone];
    const { id: session_id } = await roomOf(ada, [ben, cleo]);
    const { message_id } = await ben.http.chat.send({ session_id, content: `Rhubarb for @${cleo.name}` });
    t.match(await failureOf(cleo.http.messages.delete({ message_id })), { code: 'not_your_message' });
    t.equal((await cleo.http.sessions.get({ session_id })).mention_count, 1);
    await ada.http.messages.delete({ message_id });
    t.match(await cleo.http.messages.get({ message_id }), { content: '', mentions: [] });
    t.equal((await cleo.http.sessions.get({ session_id })).mention_count, 0);
    t.same(await cleo.http.messages.search({ q: 'rhubarb', limit: 20 }), []);
  });
});

t.test('a deleted message of a room counts as read, also in a thread', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben, cleo] = (await people(t, platform, 3)) as [Someone, Someone, Someone];
    const { id: session_id } = await roomOf(ada, [ben, cleo]);
    const send = async (content: string, more: object = {}) => (await ada.http.chat.send({ session_id, content, ...more })).message_id;
    const unread = async () => Promise.all([ben, cleo].map(async ({ http }) => (await http.unread.counts({})).counts[session_id]));
    const unreadAfter = async (message_id: string) => {
      await ada.http.messages.delete({ message_id });
      return unread();
    };
    const [first, second] = [await send('One'), await send('Two')];
    await cleo.http.unread.mark_read({ session_id });
    const third = await send('Three');
    t.same(await unread(), [3, 1]);
    t.same(
      [await unreadAfter(third), await unreadAfter(second), await unreadAfter(first)],
      [
        [2, 0],
        [1, 0],
        [0, 0],
      ],
    );
    const { message_id: root } = await ben.http.chat.send({ session_id, content: 'Jam?' });
    await cleo.http.unread.mark_read({ session_id });
    const [early, late] = [await send('Yes', { thread_id: root }), await send('No', { thread_id: root })];
    t.same(await unread(), [2, 0], 'only ben follows the thread');
    t.same(
      [await unreadAfter(early), await unreadAfter(late)],
      [
        [1, 0],
        [0, 0],
      ],
    );
    await send('Four');
    t.same(await unread(), [1, 1]);
  });
});
