import t, { type Test } from 'tap';
import { until } from '../../helpers/eventually.js';
import { callTools, say } from '../../helpers/model-server.js';
import { connect as openSocket } from '../../kernel/platform/http/socket/client.js';
import { dataUrl, gif, png } from './pictures.js';
import { administrator, collect, converse, failureOf, onEachPlatform, type Someone, someone, type World } from './world.js';

/** Two people and a message of the first one to the second. */
async function pairOf(t: Test, { platform }: World, content = 'The secret harbour') {
  const [ann, ben] = [await someone(t, platform), await someone(t, platform)];
  const { message_id, session_id } = await ann.http.chat.send({ content, target_type: 'member', target_id: ben.id });
  return { ann, ben, message_id, session_id };
}

const found = async ({ http }: Someone, q: string) => (await http.messages.search({ q, limit: 20 })).map(({ id }) => id);

t.test('an edited message changes in lists, search and usage, for both people', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { ann, ben, message_id, session_id } = await pairOf(t, world);
    const edited = await ann.http.messages.edit({ message_id, content: 'A quiet lighthouse on a hill' });
    t.match(edited, { content: 'A quiet lighthouse on a hill', deleted_at: null });
    t.type(edited.edited_at, 'string');
    t.same(await ben.http.messages.list({ session_id, limit: 50 }), [edited]);
    t.equal((await ben.http.sessions.get({ session_id })).last_message_preview, 'A quiet lighthouse on a hill');
    t.same([await found(ben, 'harbour'), await found(ben, 'lighthouse')], [[], [message_id]]);
    t.equal((await ann.http.chat.usage()).bytes, 28);
    t.equal((await ben.http.sessions.get({ session_id })).unread_count, 1, 'nothing more is unread');
    await ann.http.messages.edit({ message_id, content: 'Short' });
    t.equal((await ann.http.chat.usage()).bytes, 5);
  });
});

t.test('a deleted message stays as an empty stub', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { ann, ben, message_id, session_id } = await pairOf(t, world);
    await ann.http.messages.delete({ message_id });
    await ann.http.messages.delete({ message_id });
    const [stub] = await ben.http.messages.list({ session_id, limit: 50 });
    t.match(stub, { id: message_id, content: '', images: [], tool_calls: [], edited_at: null, sender_id: ann.id });
    t.type(stub?.deleted_at, 'string');
    t.equal((await ben.http.sessions.get({ session_id })).last_message_preview, '');
    t.same(await found(ben, 'harbour'), []);
    t.equal((await ann.http.chat.usage()).bytes, 0);
    t.same(await failureOf(ann.http.messages.edit({ message_id, content: 'x' })), { code: 'message_deleted', status: 409 });
  });
});

t.test('a deleted message has no reactions', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { ann, ben, message_id } = await pairOf(t, world);
    await ben.http.reactions.add({ message_id, emoji: '🎉' });
    await ann.http.messages.delete({ message_id });
    t.same((await ben.http.messages.get({ message_id })).reactions, []);
    await administrator(world.platform).members.delete({ id: ben.id });
    t.same((await ann.http.messages.get({ message_id })).reactions, []);
  });
});

t.test('a deleted message counts as read', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { ann, ben, message_id, session_id } = await pairOf(t, world);
    const send = async (content: string) => (await ann.http.chat.send({ content, session_id })).message_id;
    const unreadAfter = async (deleted: string) => {
      await ann.http.messages.delete({ message_id: deleted });
      return (await ben.http.sessions.get({ session_id })).unread_count;
    };
    const [second, third] = [await send('Two'), await send('Three')];
    t.same([await unreadAfter(second), await unreadAfter(second)], [2, 2]);
    t.equal(await unreadAfter(third), 1);
    await ben.http.unread.mark_read({ session_id });
    const last = await send('Four');
    t.equal(await unreadAfter(message_id), 1, 'it was read before');
    t.equal(await unreadAfter(last), 0);
  });
});

t.test('the title of a session follows the message that opened it, until it is deleted', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { ann, ben, message_id, session_id } = await pairOf(t, world);
    const title = async () => (await ben.http.sessions.get({ session_id })).title;
    t.equal(await title(), 'The secret harbour');
    const later = await ann.http.chat.send({ session_id, content: 'Another one' });
    await ann.http.messages.edit({ message_id: later.message_id, content: 'Changed' });
    t.equal(await title(), 'The secret harbour', 'another message changes nothing');
    await ann.http.messages.edit({ message_id, content: 'A quiet lighthouse' });
    t.equal(await title(), 'A quiet lighthouse');
    await ann.http.messages.delete({ message_id });
    t.equal(await title(), '');
  });
});

t.test('nobody changes a message of somebody else', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { ben, message_id } = await pairOf(t, world);
    const stranger = administrator(world.platform);
    for (const change of [
      ({ messages }: Pick<Someone['http'], 'messages'>) => messages.edit({ message_id, content: 'x' }),
      ({ messages }: Pick<Someone['http'], 'messages'>) => messages.delete({ message_id }),
    ]) {
      t.same(await failureOf(change(ben.http)), { code: 'not_your_message', status: 403 });
      t.same(await failureOf(change(stranger)), { code: 'message_not_found', status: 404 });
    }
  });
});

t.test('an image goes with the last message of its session that has it', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const { http } = await someone(t, platform);
    const images = [dataUrl(png()), dataUrl(gif())];
    const first = await http.chat.send({ content: '', images, target_type: '' });
    await http.chat.send({ content: 'Again', images: images.slice(0, 1), session_id: first.session_id });
    const hashes = (await http.messages.get({ message_id: first.message_id })).images.map(({ url }) => url.slice(-64));
    const before = (await http.chat.usage()).bytes;
    await http.messages.delete({ message_id: first.message_id });
    const [kept, gone] = hashes.map((hash) => failureOf(http.images.get({ hash })));
    t.equal(await kept, undefined);
    t.same(await gone, { code: 'image_not_found', status: 404 });
    t.ok((await http.chat.usage()).bytes < before);
    t.same(await failureOf(http.messages.edit({ message_id: first.message_id, content: '' })), { code: 'message_deleted', status: 409 });
  });
});

t.test('a socket that reconnects gets no text that was deleted or edited since', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { platform } = world;
    const { ann, ben, session_id } = await pairOf(t, world, 'Hello');
    const first = await openSocket(t, platform.url, { token: ben.token });
    const after = (await first.next('hello')).cursor as string;
    const deleted = await ann.http.chat.send({ content: 'The secret harbour', session_id });
    const edited = await ann.http.chat.send({ content: 'The hidden harbour', session_id });
    await until(
      async () => first.of('message.created'),
      (frames) => frames.length === 2,
    );
    await ann.http.messages.delete({ message_id: deleted.message_id });
    await ann.http.messages.edit({ message_id: edited.message_id, content: 'Lighthouse' });
    t.match(await first.next('message.deleted'), { data: { session_id, message_id: deleted.message_id } });
    t.match(await first.next('message.updated'), { data: { message: { content: 'Lighthouse' } } });
    await first.close();
    const again = await openSocket(t, platform.url, { token: ben.token, query: { after } });
    await again.next('message.updated');
    t.match(
      again.of('message.created').map(({ data }) => data),
      [{ message: { id: deleted.message_id, content: '' } }, { message: { id: edited.message_id, content: 'Lighthouse' } }],
    );
    t.notMatch(JSON.stringify(again.frames), 'harbour');
  });
});

t.test('a stream that is read again shows no title and no reply that were deleted since', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const { http, token } = await someone(t, platform);
    model.script(say('The reply names the harbour.'));
    const { id: session_id } = await http.sessions.create({ title: 'Trip', target_type: 'ai', target_id: '' });
    const caller = await platform.kernel.tokenCaller(token, 'direct');
    const { from: after } = (await platform.kernel.invoke('sessions.stream', { session_id }, caller)).body as { from: string };
    const { sent, reply } = await converse(http, 'Where is the secret harbour?', session_id);
    await http.messages.delete({ message_id: sent.message_id });
    await http.messages.delete({ message_id: reply.id });
    t.equal((await http.tasks.get({ task_id: sent.task_id as string })).title, '');
    const again = await collect(http.messages.stream({ message_id: sent.message_id }));
    t.equal(again.at(-1)?.type, 'done');
    t.notMatch(JSON.stringify(again), 'harbour');
    const resumed: string[] = [];
    for await (const event of http.sessions.stream({ session_id, after })) {
      resumed.push(JSON.stringify(event));
      if (event.type === 'message.deleted' && JSON.stringify(event).includes(reply.id)) break;
    }
    t.ok(resumed.length > 2, 'it is a replay');
    t.notMatch(resumed.join(), 'harbour');
  });
});

t.test('a running answer sees an edit and a deletion at its next step', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const { http } = await someone(t, platform);
    model.script(say('Noted.'));
    const { sent } = await converse(http, 'My harbour is Kiel');
    const asked = model.exchanges.length;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    model.script(async (exchange) => {
      await held;
      return callTools([{ name: 'members_list', arguments: {} }])(exchange);
    }, say('Done.'));
    const second = await http.chat.send({ content: 'List the members', session_id: sent.session_id });
    await until(
      async () => model.exchanges.length,
      (count) => count > asked,
    );
    await http.messages.edit({ message_id: sent.message_id, content: 'My harbour is Lübeck' });
    release();
    await collect(http.messages.stream({ message_id: second.message_id }));
    const contents = model.exchanges.slice(asked).map(({ body }) => JSON.stringify(body.messages));
    t.match(contents[0], 'Kiel');
    t.match(contents.at(-1), 'Lübeck');
    t.notMatch(contents.at(-1), 'Kiel');
  });
});

t.test('a reply in progress cannot be deleted', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const { http } = await someone(t, platform);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    model.script(async (exchange) => {
      exchange.text('One moment');
      await held;
      exchange.finish();
    });
    const { session_id, message_id } = await http.chat.send({ content: 'Hello' });
    const list = () => http.messages.list({ session_id, limit: 50 });
    const [, reply] = await until(list, (messages) => messages.length === 2);
    const message = { message_id: reply?.id as string };
    t.same(await failureOf(http.messages.delete(message)), { code: 'message_in_progress', status: 409 });
    const waiting = await http.chat.send({ content: 'And this?', session_id });
    await http.messages.delete({ message_id: waiting.message_id });
    t.match(await http.tasks.get({ task_id: waiting.task_id as string }), { status: 'cancelled', title: '' });
    release();
    await collect(http.messages.stream({ message_id }));
    await http.messages.delete(message);
    t.match(await http.messages.get(message), { content: '', status: 'completed' });
    t.same(await failureOf(http.messages.edit({ ...message, content: 'x' })), { code: 'not_your_message', status: 403 });
  });
});

t.test('the summary of a notification follows its message', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { ann, ben, message_id } = await pairOf(t, world);
    const summaries = async () => {
      const { notifications } = (await world.platform.kernel
        .invoke('notifications.list', {}, await world.platform.kernel.tokenCaller(ben.token, 'direct'))
        .then(({ body }) => body)) as { notifications: { summary: string }[] };
      return notifications.map(({ summary }) => summary);
    };
    await until(summaries, (texts) => texts.includes('The secret harbour'));
    await ann.http.messages.edit({ message_id, content: 'Lighthouse' });
    await until(summaries, (texts) => texts.includes('Lighthouse'));
    await ann.http.messages.delete({ message_id });
    t.same(await until(summaries, (texts) => texts.includes('')), ['']);
  });
});

t.test('reactions are counted, and each member knows its own', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { ann, ben, message_id, session_id } = await pairOf(t, world);
    const socket = await openSocket(t, world.platform.url, { token: ben.token });
    await socket.next('hello');
    await ann.http.reactions.add({ message_id, emoji: '🎉' });
    t.match(await socket.next('reaction'), { data: { session_id, message_id, member_id: ann.id, emoji: '🎉', added: true } });
    await ben.http.reactions.add({ message_id, emoji: '👍' });
    await ben.http.reactions.add({ message_id, emoji: '🎉' });
    t.same(await ben.http.reactions.add({ message_id, emoji: '🎉' }), {
      reactions: [
        { emoji: '🎉', count: 2, mine: true },
        { emoji: '👍', count: 1, mine: true },
      ],
    });
    const [seen] = await ann.http.messages.list({ session_id, limit: 50 });
    t.same(seen?.reactions, [
      { emoji: '🎉', count: 2, mine: true },
      { emoji: '👍', count: 1, mine: false },
    ]);
    await ann.http.reactions.remove({ message_id, emoji: '🎉' });
    t.same((await ann.http.messages.get({ message_id })).reactions.at(-1), { emoji: '🎉', count: 1, mine: false });
    await administrator(world.platform).members.delete({ id: ben.id });
    t.same((await ann.http.messages.get({ message_id })).reactions, [], 'a deleted member reacts no more');
  });
});

t.test('a message has at most 20 different reactions', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { ann, ben, message_id } = await pairOf(t, world);
    const emoji = Array.from({ length: 21 }, (_, n) => String.fromCodePoint(0x1f600 + n));
    for (const each of emoji.slice(0, 20)) await ann.direct.reactions.add({ message_id, emoji: each });
    const more = ben.direct.reactions.add({ message_id, emoji: emoji[20] as string });
    t.same(await failureOf(more), { code: 'too_many_reactions', status: 409 });
    t.equal((await ben.direct.reactions.add({ message_id, emoji: emoji[0] as string })).reactions[0]?.count, 2);
  });
});
