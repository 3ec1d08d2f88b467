import t from 'tap';
import { until } from '../../../helpers/eventually.js';
import { say } from '../../../helpers/model-server.js';
import { connect } from '../../../kernel/platform/http/socket/client.js';
import { administrator, collect, replyTo, typesOf } from '../../chat/world.js';
import { pair } from '../world.js';
import { node, onNode, statesIn, taskOf, turn, withNodes } from './world.js';

t.test('a task whose node is offline waits visibly and starts as soon as it is back', async (t) => {
  await withNodes(t, async (t, { model, platforms: [one, two] }) => {
    model.script(say('Done.'));
    const { ada } = await pair(t, one, 'assistant');
    const there = await ada.on(two);
    const socket = await connect(t, two.url, { token: ada.token });
    await socket.next('hello');
    const asked = model.exchanges.length;
    const away = node('offline');
    const target_id = await onNode(one, away);
    const sent = await ada.http.chat.send({ content: 'Work', target_id });
    const reading = collect(there.messages.stream({ message_id: sent.message_id }));
    const waiting = await taskOf(there, sent, { reason: 'node_offline' });
    t.match(waiting, { status: 'queued', node_id: away, started_at: null, finished_at: null });
    t.match(await there.tasks.active(), [{ id: sent.task_id, reason: 'node_offline' }]);
    await until(
      () => socket.of('task.updated').map(({ data }) => (data.task as { reason: string | null }).reason),
      (reasons) => reasons.includes('node_offline'),
    );
    await turn(two, away, 'online');
    t.match(await taskOf(there, sent, { status: 'completed' }), { reason: null, node_id: away });
    t.same(statesIn(await reading), ['queued', 'queued node_offline', 'running', 'completed']);
    t.match(
      (await reading).filter(({ type }) => type === 'node.awaited'),
      [{ data: { seq: 0, task_id: sent.task_id, node_id: away, reason: 'node_offline' } }],
    );
    t.match(await replyTo(ada.http, sent), { content: 'Done.', status: 'completed' });
    t.equal(model.exchanges.length, asked + 1, 'the model was requested once');
  });
});

t.test('a lost event only delays a task until the next poll', async (t) => {
  await withNodes(t, async (t, { model, platforms: [one] }) => {
    model.script(say('Done.'));
    const { ada } = await pair(t, one, 'assistant');
    const drained = node('online', { draining: true });
    const sent = await ada.http.chat.send({ content: 'Work', target_id: await onNode(one, drained) });
    await taskOf(ada.http, sent, { status: 'queued', reason: 'node_draining' });
    const begun = performance.now();
    await turn(one, drained, 'online', { silent: true });
    await taskOf(ada.http, sent, { status: 'completed' });
    t.ok(performance.now() - begun < 20_000);
  });
});

t.test('another node takes over a waiting task, and the task names it', async (t) => {
  await withNodes(t, async (t, { model, platforms: [one, two] }) => {
    model.script(say('Done.'));
    const { ada } = await pair(t, one, 'assistant');
    const [away, other] = [node('offline'), node('online')];
    const target_id = await onNode(one, away, { others: [other] });
    const sent = await ada.http.chat.send({ content: 'Work', target_id });
    t.match(await taskOf(ada.http, sent, { status: 'completed' }), { node_id: other });
    await turn(one, other, 'offline');
    const next = await ada.http.chat.send({ content: 'Work', target_id });
    t.match(await taskOf(ada.http, next, { reason: 'node_offline' }), { node_id: away });
    await turn(two, other, 'online');
    t.match(await taskOf(ada.http, next, { status: 'completed' }), { node_id: other });
    // Bound to another meanwhile.
    const last = await ada.http.chat.send({ content: 'Work', target_id });
    await taskOf(ada.http, last, { status: 'completed' });
    await turn(one, other, 'offline');
    const moved = await ada.http.chat.send({ content: 'Work', target_id });
    await taskOf(ada.http, moved, { reason: 'node_offline' });
    const third = node('online');
    await administrator(one).members.update({ id: target_id, remote_node_id: third });
    t.match(await taskOf(ada.http, moved, { status: 'completed' }), { node_id: third });
  });
});

t.test('a waiting task delays no others, except later ones of its session', async (t) => {
  await withNodes(t, async (t, { model, platforms: [one] }) => {
    model.script((exchange) => {
      exchange.text(`To: ${String(exchange.body.messages.at(-1)?.content)}`);
      exchange.finish();
    });
    const { ada, target_id: free } = await pair(t, one, 'assistant');
    const away = node('offline');
    const bound = await onNode(one, away);
    const first = await ada.http.chat.send({ content: 'First', target_id: bound });
    const second = await ada.http.chat.send({ content: 'Second', session_id: first.session_id });
    const withdrawn = await ada.http.chat.send({ content: 'Withdrawn', session_id: first.session_id });
    await taskOf(ada.http, first, { reason: 'node_offline' });
    for (let n = 0; n < 3; n += 1) {
      const sent = await ada.http.chat.send({ content: 'Other', target_id: free });
      t.match(await taskOf(ada.http, sent, { status: 'completed' }), { node_id: null });
    }
    t.match(await taskOf(ada.http, second, { status: 'queued' }), { reason: null }, 'a later task of the session still waits');
    const reading = collect(ada.http.messages.stream({ message_id: withdrawn.message_id }));
    t.match(await ada.http.chat.abort({ message_id: withdrawn.message_id }), { status: 'cancelled', aborted: true });
    t.same(typesOf(await reading), ['task.updated', 'message.aborted', 'task.updated', 'done']);
    const third = await ada.http.chat.send({ content: 'Third', session_id: first.session_id });
    await turn(one, away, 'online');
    await taskOf(ada.http, third, { status: 'completed' });
    const said = (await ada.http.messages.list({ session_id: first.session_id, limit: 20 })).filter(({ role }) => role === 'assistant');
    t.same(
      said.map(({ content }) => content),
      ['', 'To: First', 'To: Second', 'To: Third'],
    );
  });
});

t.test('if the first waiting task is aborted, the next one waits in its place', async (t) => {
  await withNodes(t, async (t, { platforms: [one, two] }) => {
    const { ada } = await pair(t, one, 'assistant');
    const there = await ada.on(two);
    const target_id = await onNode(one, node('offline'));
    const first = await ada.http.chat.send({ content: 'First', target_id });
    const second = await ada.http.chat.send({ content: 'Second', session_id: first.session_id });
    await taskOf(ada.http, first, { reason: 'node_offline' });
    const task_id = first.task_id as string;
    t.same(await there.tasks.cancel({ task_id }), { task_id, status: 'cancelled', cancelled: true });
    t.match(await taskOf(there, second, { reason: 'node_offline' }), { status: 'queued' });
    await ada.http.sessions.delete({ session_id: first.session_id });
    t.same(await there.tasks.active(), []);
  });
});

t.test('waiting tasks survive the process', async (t) => {
  await withNodes(t, async (t, { model, platforms: [one], again }) => {
    model.script(say('Done.'));
    const { ada } = await pair(t, one, 'assistant');
    const away = node('offline');
    const target_id = await onNode(one, away);
    const sent = await ada.http.chat.send({ content: 'Work', target_id });
    await taskOf(ada.http, sent, { reason: 'node_offline' });
    await one.kernel.close();
    const next = await again();
    const there = await ada.on(next);
    t.match(await taskOf(there, sent, { reason: 'node_offline' }), { status: 'queued' });
    const stream = collect(there.messages.stream({ message_id: sent.message_id }));
    await turn(next, away, 'online');
    t.match(await taskOf(there, sent, { status: 'completed' }), { node_id: away });
    t.equal(statesIn(await stream).at(-1), 'completed');
  });
});

t.test('each of many waiting tasks starts once when the node is back', async (t) => {
  await withNodes(t, async (t, { model, platforms: [one, two] }) => {
    model.script(say('Done.'));
    const away = node('offline');
    const target_id = await onNode(one, away);
    const people = await Promise.all([1, 2, 3].map(() => pair(t, one, 'assistant')));
    const asked = model.exchanges.length;
    const sent = await Promise.all(
      people.flatMap(({ ada }) => Array.from({ length: 20 }, () => ada.direct.chat.send({ content: 'Work', target_id }))),
    );
    for (const { ada } of people)
      await until(
        async () => (await ada.direct.tasks.active()).filter(({ reason }) => reason === 'node_offline').length,
        (waiting) => waiting === 20,
      );
    await Promise.all([turn(one, away, 'online'), turn(two, away, 'online')]);
    for (const { ada } of people)
      await until(
        async () => (await ada.direct.tasks.active()).length,
        (open) => open === 0,
      );
    t.equal(model.exchanges.length - asked, sent.length);
  });
});
