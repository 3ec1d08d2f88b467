import t from 'tap';
import { becomes, until } from '../../../helpers/eventually.js';
import { type Script, say } from '../../../helpers/model-server.js';
import { administrator, collect, readOn, replyTo, typesOf } from '../../chat/world.js';
import { agentsOf } from '../employment.js';
import { ask, pair } from '../world.js';
import { drop, node, onNode, statesIn, taskOf, turn, withNodes } from './world.js';

const endless: Script = (exchange) => exchange.text('A little. ');

t.test('deleting a node ends its tasks on any instance and unbinds its AI employees', async (t) => {
  await withNodes(t, async (t, { model, platforms: [one, two] }) => {
    const { ada, target_id: free } = await pair(t, one, 'assistant');
    const gone = node('online');
    const target_id = await onNode(one, gone);
    const spare = await onNode(one, node('online'), { others: [gone, node('online')] });
    model.script(endless);
    const runs = await Promise.all([one, two].map(async (platform) => (await ada.on(platform)).chat.send({ content: 'Talk', target_id })));
    const elsewhere = await ada.http.chat.send({ content: 'Talk', target_id: spare });
    const other = await ada.http.chat.send({ content: 'Talk', target_id: free });
    for (const sent of [...runs, elsewhere, other]) await taskOf(ada.http, sent, { status: 'running' });
    const behind = await ada.http.chat.send({ content: 'Behind', session_id: runs[0]?.session_id as string });
    const streams = await Promise.all(runs.map(({ message_id }) => readOn(ada.http.messages.stream({ message_id }))));
    await until(
      async () => (await replyTo(ada.http, runs[0] as (typeof runs)[0])).content,
      (content) => content !== '',
    );
    await drop(two, gone);
    for (const sent of runs) t.match(await taskOf(ada.http, sent, { status: 'cancelled' }), { reason: 'node_deleted', error: null });
    for (const { end } of streams) t.same(typesOf(await end).slice(-3), ['message.aborted', 'task.updated', 'done']);
    t.match(await taskOf(ada.http, behind, { status: 'cancelled' }), { reason: 'node_deleted', started_at: null });
    t.match(await replyTo(ada.http, behind), { status: 'aborted', content: '' });
    for (const sent of [elsewhere, other]) {
      t.match(await taskOf(ada.http, sent, {}), { status: 'running' }, 'the task continues on another node, or on none');
      await ada.http.tasks.cancel({ task_id: sent.task_id as string });
    }
    t.match(await administrator(two).members.get({ id: target_id }), { remote_node_id: null });
    t.equal((await agentsOf(one).get({ member_id: spare })).fallback_node_ids.includes(gone), false);
    t.equal((await agentsOf(one).get({ member_id: spare })).fallback_node_ids.length, 1);
    model.script(say('Without a node.'));
    t.match((await ask(ada.http, { content: 'Go on', target_id })).reply, { content: 'Without a node.' });
  });
});

t.test('tasks that wait for a deleted node move to another or end', async (t) => {
  await withNodes(t, async (t, { model, platforms: [one, two] }) => {
    model.script(say('Done.'));
    const { ada } = await pair(t, one, 'assistant');
    const [gone, other] = [node('offline'), node('offline')];
    const [alone, spare] = [await onNode(one, gone), await onNode(one, gone, { others: [other] })];
    const ended = await ada.http.chat.send({ content: 'Work', target_id: alone });
    const kept = await ada.http.chat.send({ content: 'Work', target_id: spare });
    for (const sent of [ended, kept]) await taskOf(ada.http, sent, { reason: 'node_offline', node_id: gone });
    const reading = collect(ada.http.messages.stream({ message_id: ended.message_id }));
    await drop(two, gone);
    t.match(await taskOf(ada.http, ended, { status: 'cancelled' }), { reason: 'node_deleted' });
    t.same(statesIn(await reading), ['queued', 'queued node_offline', 'cancelled node_deleted']);
    t.match(await taskOf(ada.http, kept, { node_id: other }), { status: 'queued', reason: 'node_offline' });
    await turn(one, other, 'online');
    t.match(await taskOf(ada.http, kept, { status: 'completed' }), { node_id: other });
    t.match(await administrator(one).members.get({ id: spare }), { remote_node_id: null });
  });
});

t.test('deleting a node does not affect employees who may not use it', async (t) => {
  await withNodes(t, async (t, { model, platforms: [one] }) => {
    const { ada } = await pair(t, one, 'assistant');
    const gone = node('online');
    const target_id = await onNode(one, gone, { users: 'admins' });
    model.script(endless);
    const first = await ada.http.chat.send({ content: 'Talk', target_id });
    t.match(await taskOf(ada.http, first, { status: 'running' }), { node_id: null });
    const second = await ada.http.chat.send({ content: 'And talk', session_id: first.session_id });
    await drop(one, gone);
    model.script(say('Second.'));
    t.match(await ada.http.tasks.get({ task_id: first.task_id as string }), { status: 'running' });
    await ada.http.tasks.cancel({ task_id: first.task_id as string });
    await taskOf(ada.http, second, { status: 'completed' });
  });
});

t.test('an AI employee whose nodes are unavailable is offline in contacts and lists', async (t) => {
  await withNodes(t, async (t, { platforms: [one, two] }) => {
    const { ada } = await pair(t, one, 'assistant');
    const [own, other] = [node('offline'), node('online')];
    const target_id = await onNode(one, own, { others: [other] });
    const contact = async () => {
      const found = (await (await ada.on(two)).contacts.list({ offset: 0 })).find(({ member_id }) => member_id === target_id);
      return [found?.presence, found?.node_status];
    };
    const status = async () => (await administrator(two).members.list_virtual({})).find(({ id }) => id === target_id)?.status;
    await becomes(t, contact, ['online', 'offline'], 15_000);
    t.equal(await status(), 'idle');
    await turn(one, other, 'online', { draining: true });
    await becomes(t, contact, ['offline', 'offline'], 15_000);
    t.equal(await status(), 'offline');
    await turn(one, own, 'online');
    await becomes(t, contact, ['online', 'online'], 15_000);
    t.equal(await status(), 'idle');
    await t.rejects(agentsOf(one).update({ member_id: target_id, fallback_node_ids: [99_999] }), {
      code: 'invalid_input',
      details: [{ path: 'fallback_node_ids.0' }],
    });
  });
});
