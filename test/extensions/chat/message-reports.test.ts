import t from 'tap';
import { administrator, failureOf, onEachPlatform, replyTo, someone } from './world.js';

t.test('a message is reported once by each member who sees it and has not written it', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ann, ben, cleo] = [await someone(t, platform), await someone(t, platform), await someone(t, platform)];
    const { message_id } = await ann.http.chat.send({ content: 'Buy this', target_type: 'member', target_id: ben.id });
    const first = await ben.http.messages.report({ message_id, reason: ' Spam ' });
    t.match(first, { message_id, repeated: false, reported_at: /Z$/ });
    t.same(await ben.http.messages.report({ message_id, reason: 'Spam!' }), { ...first, repeated: true });
    t.same(await failureOf(ann.http.messages.report({ message_id, reason: 'Mine' })), { code: 'own_message', status: 409 });
    t.same(await failureOf(cleo.http.messages.report({ message_id, reason: 'x' })), { code: 'message_not_found', status: 404 });
    await ann.http.messages.delete({ message_id });
    t.same(await failureOf(ben.http.messages.report({ message_id, reason: 'x' })), { code: 'message_deleted', status: 409 });
  });
});

t.test('a member may report replies of AI employees, and 20 messages within an hour', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ann, ben] = [await someone(t, platform), await someone(t, platform)];
    const { id } = await replyTo(ann.http, await ann.http.chat.send({ content: '/help' }));
    t.match(await ann.http.messages.report({ message_id: id, reason: 'Wrong' }), { repeated: false });
    const { session_id } = await ben.http.chat.send({ content: 'Hello', target_type: 'member', target_id: ann.id });
    for (let n = 0; n < 19; n += 1) {
      const { message_id } = await ben.http.chat.send({ content: `Message ${n}`, session_id });
      await ann.http.messages.report({ message_id, reason: 'Spam' });
    }
    const { message_id } = await ben.http.chat.send({ content: 'One more', session_id });
    t.same(await failureOf(ann.http.messages.report({ message_id, reason: 'Spam' })), { code: 'too_many_reports', status: 429 });
    t.match(await ann.http.messages.report({ message_id: id, reason: 'Wrong' }), { repeated: true });
    await administrator(platform).members.delete({ id: ann.id });
    const left = await ben.http.messages.get({ message_id });
    t.equal(left.content, 'One more', 'a deleted member leaves no trouble behind');
  });
});
