import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { StreamEvent } from '../../../../kernel/contract/index.js';
import { startCluster } from '../../../helpers/cluster.js';
import { until } from '../../../helpers/eventually.js';
import { type Script, say } from '../../../helpers/model-server.js';
import { skipWithout } from '../../../helpers/parts.js';
import {
  administrator,
  collect,
  converse,
  failureOf,
  login,
  messageIn,
  onEachPlatform,
  readOn,
  replyTo,
  someone,
  textOf,
  typesOf,
  withModel,
} from '../world.js';

/** Says a little and then nothing more. */
const endless: Script = (exchange) => {
  exchange.text('A little. ');
};

t.test('an abort stops the model, keeps the text, and is the last event', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const me = await someone(t, platform);
    const times: { answered: number; closed: number }[] = [];
    for (const client of [me.direct, me.http]) {
      for (const by of ['sent', 'reply', 'task'] as const) {
        model.script(endless);
        const sent = await client.chat.send({ content: 'Talk' });
        const events: StreamEvent[] = [];
        const reading = (async () => {
          for await (const event of client.messages.stream({ message_id: sent.message_id })) events.push(event);
        })();
        await until(
          () => textOf(events),
          (text) => text === 'A little. ',
        );
        const reply = await replyTo(client, sent);
        const exchange = model.exchanges.at(-1);
        const begun = performance.now();
        const closed = exchange?.closed.then(() => performance.now() - begun);
        const task_id = sent.task_id as string;
        if (by === 'task') t.same(await client.tasks.cancel({ task_id }), { task_id, status: 'cancelled', cancelled: true });
        else {
          const message_id = by === 'sent' ? sent.message_id : reply.id;
          t.same(await client.chat.abort({ message_id }), { message_id, task_id, status: 'cancelled', aborted: true });
        }
        const answered = performance.now() - begun;
        const stored = await client.messages.get({ message_id: reply.id });
        t.match(stored, { status: 'aborted', content: 'A little. ', error: null });
        times.push({ answered, closed: (await closed) ?? Number.NaN });
        await reading;
        t.same(typesOf(events).slice(-3), ['message.aborted', 'task.updated', 'done']);
        t.same(messageIn(events, 'message.aborted'), stored);
        t.match(await client.tasks.get({ task_id }), { status: 'cancelled', reason: 'aborted', error: null });
        t.same(await client.chat.abort({ message_id: reply.id }), { message_id: reply.id, task_id, status: 'cancelled', aborted: false });
        t.same(await client.tasks.cancel({ task_id }), { task_id, status: 'cancelled', cancelled: false });
        t.match(await client.sessions.get({ session_id: sent.session_id }), { active_task_id: null });
      }
    }
    for (const what of ['answered', 'closed'] as const) {
      const ms = times.map((each) => each[what]).sort((x, y) => x - y);
      const [middle = Number.NaN, longest = Number.NaN] = [ms[3], ms.at(-1)];
      t.ok(middle < 200, `${what} after ${middle.toFixed()} ms`);
      // The first in a process, on a machine with more to do.
      t.ok(longest < 500, `${what} after ${longest.toFixed()} ms at most`);
    }
  });
});

t.test('text of a model after the abort was answered is dropped', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const client = (await someone(t, platform)).http;
    const talking: Script = async (exchange) => {
      for (let n = 0; !exchange.isClosed; n += 1) {
        exchange.text(`${n} `);
        await sleep(1);
      }
    };
    for (let turn = 0; turn < 3; turn += 1) {
      model.script(talking, say('Yes?'));
      const sent = await client.chat.send({ content: 'Talk' });
      const { message_id, session_id } = sent;
      const stream = await readOn(client.messages.stream({ message_id }));
      await until(
        () => replyTo(client, sent),
        ({ content }) => content.length > 50,
      );
      await client.chat.abort({ message_id });
      const stored = await replyTo(client, sent);
      t.equal(stored.status, 'aborted');
      const events = await stream.end;
      t.equal(textOf(events), stored.content);
      t.same(typesOf(events).slice(-3), ['message.aborted', 'task.updated', 'done']);
      await converse(client, 'Still there?', session_id);
      t.same(await client.messages.get({ message_id: stored.id }), stored, 'the reply stays unchanged');
      t.same(await collect(client.messages.stream({ message_id })), events);
    }
  });
});

t.test('an aborted waiting message gets an empty reply, and the next one takes its turn', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const client = (await someone(t, platform)).direct;
    model.script(endless, (exchange) => {
      exchange.text('Third.');
      exchange.finish();
    });
    const first = await client.chat.send({ content: 'First' });
    const { session_id } = first;
    const second = await client.chat.send({ content: 'Second', session_id });
    const third = await client.chat.send({ content: 'Third', session_id });
    const reading = collect(client.messages.stream({ message_id: second.message_id }));
    t.match(await client.chat.abort({ message_id: second.message_id }), { status: 'cancelled', aborted: true });
    t.same(typesOf(await reading), ['task.updated', 'message.aborted', 'task.updated', 'done']);
    t.match(await replyTo(client, second), { status: 'aborted', content: '' });
    await until(
      () => replyTo(client, first),
      ({ content }) => content !== '',
    );
    await client.chat.abort({ message_id: first.message_id });
    await collect(client.messages.stream({ message_id: third.message_id }));
    t.match(await replyTo(client, third), { status: 'completed', content: 'Third.' });
    t.same(
      model.exchanges
        .at(-1)
        ?.body.messages.slice(1)
        .map(({ content }) => content),
      ['First', 'A little. ', 'Second', '(no answer)', 'Third'],
    );
  });
});

t.test('deleting a session stops its tasks', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const client = (await someone(t, platform)).direct;
    model.script(endless);
    const before = model.exchanges.length;
    const sent = await client.chat.send({ content: 'Talk' });
    await client.chat.send({ content: 'And talk', session_id: sent.session_id });
    await until(
      () => model.exchanges.length,
      (count) => count === before + 1,
    );
    const stream = await readOn(client.messages.stream({ message_id: sent.message_id }));
    await client.sessions.delete({ session_id: sent.session_id });
    await model.exchanges.at(-1)?.closed;
    t.same(typesOf(await stream.end).slice(-3), ['message.aborted', 'task.updated', 'done']);
    t.same(await client.tasks.active(), []);
    t.same(await failureOf(client.tasks.get({ task_id: sent.task_id as string })), { code: 'task_not_found', status: 404 });
    t.equal(model.exchanges.length, before + 1, 'the model was not requested for the second message');
  });
});

t.test('deleting a member stops its tasks', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const { id, http: ada } = await someone(t, platform);
    model.script(endless);
    const before = model.exchanges.length;
    const sent = await ada.chat.send({ content: 'Talk' });
    await ada.chat.send({ content: 'And talk', session_id: sent.session_id });
    await until(
      () => model.exchanges.length,
      (count) => count === before + 1,
    );
    const reading = await readOn(ada.messages.stream({ message_id: sent.message_id }));
    await administrator(platform).members.delete({ id });
    t.same(
      typesOf(await reading.end).slice(-3),
      ['message.aborted', 'task.updated', 'done'],
      'the task ended before the member was removed',
    );
    await model.exchanges.at(-1)?.closed;
    t.equal(model.exchanges.length, before + 1);
    t.notOk(
      platform.lines.some(({ level }) => level === 'error'),
      'no error was logged',
    );
  });
});

t.test('aborts and streams work across instances', { skip: skipWithout('postgres', 'redis') }, async (t) => {
  const { model, options } = await withModel(t);
  const [one, two] = await startCluster(t, 2, options);
  if (!one || !two) throw new Error('no cluster');
  const [here, there] = [await login(t, one), await login(t, two)];
  model.script(async (exchange) => {
    for (let n = 0; !exchange.isClosed; n += 1) {
      exchange.text(`${n} `);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
  for (let turn = 0; turn < 6; turn += 1) {
    // Whichever instance claimed it, one of the two is the other.
    const [begin, end] = turn % 2 ? [here, there] : [there, here];
    const sent = await begin.chat.send({ content: 'Count' });
    const events: StreamEvent[] = [];
    for await (const event of begin.messages.stream({ message_id: sent.message_id })) {
      events.push(event);
      if (events.length >= 12) break;
    }
    const after = events.at(-1)?.id as string;
    const reading = collect(end.messages.stream({ message_id: sent.message_id, after }));
    await until(
      () => begin.messages.list({ session_id: sent.session_id, limit: 2 }),
      ([, reply]) => (reply?.content.length ?? 0) > 100,
    );
    const exchange = model.exchanges.at(-1);
    t.match(await end.chat.abort({ message_id: sent.message_id }), { aborted: true, status: 'cancelled' });
    await exchange?.closed;
    events.push(...(await reading));
    const reply = await replyTo(begin, sent);
    t.equal(reply.status, 'aborted');
    t.equal(textOf(events), reply.content);
    t.same(typesOf(events).slice(-3), ['message.aborted', 'task.updated', 'done']);
  }
});
