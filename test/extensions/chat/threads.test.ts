import t from 'tap';
import { converse, failureOf, onEachPlatform, replyTo, someone } from './world.js';

const nowhere = '01900000-0000-7000-8000-000000000000';

t.test('an answer in a thread stays there, and the first message counts it', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const { http } = await someone(t, platform);
    const { sent: root, reply } = await converse(http, 'Plans');
    const { session_id } = root;
    const asked = await http.chat.send({ content: 'In detail?', session_id, thread_id: root.message_id });
    const answer = await replyTo(http, asked);
    t.equal(answer.thread_id, root.message_id);
    const inside = await http.chat.send({ content: 'More', session_id, thread_id: answer.id, reply_to: answer.id });
    t.match(await http.messages.get({ message_id: inside.message_id }), { thread_id: root.message_id, reply_to: answer.id });
    await replyTo(http, inside);
    const ids = async (page: object) => (await http.messages.list({ limit: 50, ...page })).map(({ id }) => id);
    const all = await ids({ session_id });
    t.same(all.slice(0, 2), [root.message_id, reply.id]);
    t.same(await ids({ session_id, threads: 'roots' }), [root.message_id, reply.id]);
    t.same(
      await ids({ thread_id: asked.message_id }),
      all.filter((id) => id !== reply.id),
      'a thread begins with its first message',
    );
    t.same(await ids({ thread_id: root.message_id, before: inside.message_id, limit: 2 }), [asked.message_id, answer.id]);
    const [first] = await http.messages.list({ session_id, threads: 'roots', limit: 50 });
    t.equal(first?.reply_count, 4);
    t.equal(first?.last_reply_at, (await http.messages.list({ session_id, limit: 1 }))[0]?.created_at);
  });
});

t.test('an answered message makes no thread', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const { http } = await someone(t, platform);
    const first = await http.chat.send({ content: 'One', target_type: '' });
    const { session_id } = first;
    const second = await http.chat.send({ content: 'Two', session_id, reply_to: first.message_id });
    t.match(await http.messages.get({ message_id: second.message_id }), { reply_to: first.message_id, thread_id: null });
    t.equal((await http.messages.get({ message_id: first.message_id })).reply_count, 0);
  });
});

t.test('only messages of the same session can be answered', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ann, ben] = [await someone(t, platform), await someone(t, platform)];
    const { message_id, session_id } = await ann.http.chat.send({ content: 'One', target_type: '' });
    const other = await ben.http.chat.send({ content: 'Two', target_type: '' });
    const missing = { code: 'message_not_found', status: 404 };
    t.same(await failureOf(ann.http.chat.send({ content: 'x', session_id, thread_id: other.message_id })), missing);
    t.same(await failureOf(ann.http.chat.send({ content: 'x', session_id, reply_to: nowhere })), missing);
    t.same(await failureOf(ann.http.chat.send({ content: 'x', thread_id: message_id })), { code: 'invalid_input', status: 400 });
    t.same(await failureOf(ben.http.messages.list({ thread_id: message_id, limit: 5 })), missing);
    t.same(await failureOf(ann.http.messages.list({ limit: 5 })), { code: 'invalid_input', status: 400 });
    t.equal((await ann.http.messages.list({ session_id, limit: 50 })).length, 1);
  });
});

t.test('with a session, a thread elsewhere fails in the same way whether the caller sees it or not', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben] = [await someone(t, platform), await someone(t, platform)];
    const note = (one: typeof ada) => one.http.chat.send({ content: 'Mine', target_type: '' });
    const { session_id } = await note(ada);
    const failed = async (thread_id: string) => {
      const list = ada.http.messages.list({ session_id, thread_id, limit: 50 });
      const { message } = await list.then(
        () => new Error('none'),
        (fault: Error) => fault,
      );
      return message.replace(thread_id, 'ID');
    };
    const absent = await failed(nowhere);
    t.match(absent, /There is no thread of message ID/);
    t.equal(await failed((await note(ada)).message_id), absent);
    t.equal(await failed((await note(ben)).message_id), absent);
  });
});
