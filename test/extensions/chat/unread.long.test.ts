import t from 'tap';
import { until } from '../../helpers/eventually.js';
import { onOneAndTwo } from './scribe.js';
import { collect, failureOf, onEachPlatform, type PlatformClient, someone, typesOf } from './world.js';

t.test('unread counts cover every visible session and are cleared by reading and sending', async (t) => {
  await onOneAndTwo(t, async (t, [one, two]) => {
    const [ada, bob] = [await someone(t, one), await someone(t, two)];
    const { session_id } = await ada.http.contacts.start({ member_id: bob.id });
    const notes = await bob.http.sessions.create({ title: 'Notes', target_type: '', target_id: '' });
    const counts = async () => (await bob.http.unread.counts()).counts;
    t.same(await counts(), { [session_id]: 0, [notes.id]: 0 });
    for (const content of ['One', 'Two']) await ada.http.chat.send({ content, session_id });
    await bob.http.chat.send({ content: 'To myself', session_id: notes.id });
    t.same(await counts(), { [session_id]: 2, [notes.id]: 0 });
    t.same((await ada.http.unread.counts()).counts, { [session_id]: 0 }, "a member's own messages don't count");
    t.same(await bob.http.unread.mark_read({ session_id }), { session_id, unread_count: 0 });
    t.same(await counts(), { [session_id]: 0, [notes.id]: 0 });
    await ada.http.chat.send({ content: 'Three', session_id });
    await bob.http.chat.send({ content: 'Yes?', session_id });
    t.same(await counts(), { [session_id]: 0, [notes.id]: 0 }, 'sending marks messages as read');
    t.same((await ada.http.unread.counts()).counts, { [session_id]: 1 });
    await bob.http.sessions.delete({ session_id });
    t.same(await counts(), { [notes.id]: 0 }, 'hidden sessions are not counted');
  });
});

t.test("a reply is unread until it is read, and another member's session can't be marked", async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, bob] = [await someone(t, platform), await someone(t, platform)];
    const sent = await ada.http.chat.send({ content: 'Hello' });
    const { session_id } = sent;
    const isAnswered = async () => (await ada.http.tasks.get({ task_id: sent.task_id as string })).status === 'completed';
    await until(isAnswered, Boolean);
    t.same((await ada.http.unread.counts()).counts, { [session_id]: 1 });
    for (const client of [bob.http, bob.direct]) {
      t.same(await failureOf(client.unread.mark_read({ session_id })), { code: 'session_not_found', status: 404 });
    }
    t.same((await ada.http.unread.counts()).counts, { [session_id]: 1 });
    await ada.direct.unread.mark_read({ session_id });
    t.same((await ada.http.unread.counts()).counts, { [session_id]: 0 });
  });
});

t.test('text of one person streams to both members on any instance, and to nobody else', async (t) => {
  await onOneAndTwo(t, async (t, [one, two]) => {
    const [ada, bob, eve] = [await someone(t, one), await someone(t, two), await someone(t, two)];
    const { session_id } = await ada.http.contacts.start({ member_id: bob.id });
    const controller = new AbortController();
    const heard: string[][] = [];
    const read = async (client: PlatformClient): Promise<string[]> => {
      const texts: string[] = [];
      heard.push(texts);
      for await (const { data } of client.sessions.stream({ session_id }, { signal: controller.signal })) {
        if (texts.push((data as { message: { content: string } }).message.content) && texts.at(-1) === 'Three') break;
      }
      return texts.slice(-3);
    };
    const readers = [read(ada.http), read(bob.http), read(bob.direct)];
    for (const client of [eve.http, eve.direct]) {
      t.same(await failureOf(client.sessions.stream({ session_id })), { code: 'session_not_found', status: 404 });
    }
    const listening = async () => {
      await ada.http.chat.send({ content: 'Do you hear me?', session_id });
      return heard.filter(({ length }) => length > 0).length;
    };
    await until(listening, (count) => count === readers.length);
    await ada.http.chat.send({ content: 'One', session_id });
    await bob.http.chat.send({ content: 'Two', session_id });
    const last = await ada.http.chat.send({ content: 'Three', session_id });
    t.same(await Promise.all(readers), Array(3).fill(['One', 'Two', 'Three']));
    t.equal(last.task_id, null);
    const events = await collect(bob.http.messages.stream({ message_id: last.message_id }));
    t.same(typesOf(events), ['message.completed', 'done'], 'a message that nobody answers has a stream too');
    controller.abort();
  });
});
