import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { StreamEvent } from '../../../../kernel/contract/index.js';
import { eachPlatform } from '../../../helpers/cluster.js';
import { until } from '../../../helpers/eventually.js';
import { type Script, say } from '../../../helpers/model-server.js';
import {
  administrator,
  collect,
  converse,
  login,
  onEachPlatform,
  type PlatformClient,
  replyTo,
  textOf,
  textsOf,
  typesOf,
  withModel,
} from '../world.js';

/** Reads at most so many events, then leaves; gives them and where to go on. */
async function readSome(stream: AsyncIterable<StreamEvent>, count: number): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) {
    events.push(event);
    if (events.length >= count) break;
  }
  return events;
}

const lastCursor = (events: readonly StreamEvent[]) => events.findLast(({ id }) => id !== undefined)?.id;

/** Reads a reply to its end, leaving and coming back after a random number of events each time. */
async function readTorn(client: PlatformClient, message_id: string, leaves: number): Promise<StreamEvent[]> {
  const all: StreamEvent[] = [];
  for (let turn = 0; ; turn += 1) {
    const after = lastCursor(all);
    const count = turn < leaves ? 1 + Math.floor(Math.random() * 5) : Number.POSITIVE_INFINITY;
    all.push(...(await readSome(client.messages.stream({ message_id, ...(after ? { after } : {}) }), count)));
    if (all.at(-1)?.type === 'done') return all;
  }
}

t.test('a reader that reconnects 50 times gets every delta once', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    model.script(async (exchange) => {
      for (let n = 0; n < 300; n += 1) {
        exchange.text(`${n} zwölf 漢字 👩‍🚀 `);
        if (n % 3 === 0) await sleep(2);
      }
      exchange.finish();
    });
    for (const client of [administrator(platform), await login(t, platform)]) {
      const sent = await client.chat.send({ content: 'Count' });
      const events = await readTorn(client, sent.message_id, 50);
      const reply = await replyTo(client, sent);
      t.equal(reply.status, 'completed');
      t.equal(textOf(events), reply.content);
      t.match(reply.content, /^0 zwölf.* 299 zwölf 漢字 👩‍🚀 $/);
      const seqs = events.filter(({ id }) => id).map(({ data }) => (data as { seq: number }).seq);
      t.same(
        seqs,
        seqs.map((_seq, index) => index),
        'the deltas have no gap and no repetition',
      );
    }
  });
});

t.test('a reply longer than the journal is sent exactly, by a snapshot', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const client = await login(t, platform);
    const piece = '漢'.repeat(7_900);
    model.script(async (exchange) => {
      for (let n = 0; n < 80; n += 1) {
        exchange.text(`${n}${piece}`);
        await sleep(3);
      }
      exchange.finish();
    });
    const sent = await client.chat.send({ content: 'Much' });
    const early = await readSome(client.messages.stream({ message_id: sent.message_id }), 5);
    const reply = await replyTo(client, sent);
    await until(
      () => client.messages.get({ message_id: reply.id }),
      ({ content }) => content.length > 400_000,
    );
    const live = await collect(client.messages.stream({ message_id: sent.message_id }));
    const resumed = [
      ...early,
      ...(await collect(client.messages.stream({ message_id: sent.message_id, after: lastCursor(early) as string }))),
    ];
    const whole = await client.messages.get({ message_id: reply.id });
    t.ok(live.some(({ type }) => type === 'snapshot'));
    t.ok(textOf(live) === whole.content, 'a late reader gets the whole reply');
    t.ok(textOf(resumed) === whole.content, 'a returning reader gets the whole reply');
    t.equal(whole.content.length, 80 * 7_900 + 10 + 70 * 2);
    t.equal(live.at(-1)?.type, 'done');
  });
});

t.test('a finished reply is replayed, also by a process that did not see it', async (t) => {
  const { model, options } = await withModel(t);
  await eachPlatform(t, options, async (t, platform, again) => {
    model.script(say('One ', 'two ', 'three.'));
    const client = administrator(platform);
    const { sent, reply, events } = await converse(client, 'Count');
    t.same(
      await collect(client.messages.stream({ message_id: sent.message_id })),
      events,
      'the stream by the id of the sent message is the same',
    );
    t.same(await collect(client.messages.stream({ message_id: reply.id })), events, 'the stream by the id of the reply is the same');
    t.same(await collect(client.tasks.stream({ task_id: sent.task_id as string })), events, 'the stream by the id of the task is the same');
    const middle = events.findIndex(({ type }) => type === 'message.delta');
    t.same(await collect(client.messages.stream({ message_id: reply.id, after: events[middle]?.id as string })), events.slice(middle + 1));
    t.same(typesOf(await collect(client.messages.stream({ message_id: reply.id, after: events.at(-1)?.id as string }))), ['done']);

    await platform.kernel.close();
    const later = administrator(await again());
    for (const after of [undefined, events[middle]?.id, 'task:nonsense.0.99', '../../etc']) {
      const replayed = await collect(later.messages.stream({ message_id: sent.message_id, ...(after ? { after } : {}) }));
      t.equal(textOf(replayed) || textOf([...events.slice(0, middle + 1), ...replayed]), 'One two three.');
      t.same(typesOf(replayed).slice(-3), ['message.completed', 'task.updated', 'done'], `after ${after}`);
    }
  });
});

t.test('the stream of a session has sent messages and replies, and stays open', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const client = await login(t, platform);
    let opened = false;
    const underWay: Script = async (exchange) => {
      exchange.text('Zero');
      await until(() => opened, Boolean);
      exchange.text('.');
      exchange.finish();
    };
    model.script(underWay, say('One.'), say('Two.'));
    const before = await client.chat.send({ content: 'Before' });
    const { session_id } = before;
    await replyTo(client, before);
    const events: StreamEvent[] = [];
    const controller = new AbortController();
    const reading = (async () => {
      for await (const event of client.sessions.stream({ session_id }, { signal: controller.signal })) {
        events.push(event);
        // Replies under way come as soon as it is open.
        opened = true;
      }
    })();
    const completed = () => events.filter(({ type }) => type === 'message.completed').length;
    await until(completed, (count) => count === 1);
    for (const [index, content] of ['First', 'Second'].entries()) {
      await client.chat.send({ content, session_id });
      await until(completed, (count) => count === 1 + 2 * (index + 1));
    }
    await until(
      () => events.at(-1)?.type,
      (type) => type === 'task.updated',
    );
    controller.abort();
    await reading;
    const messages = await client.messages.list({ session_id, limit: 50 });
    const told = events.filter(({ type }) => type === 'message.completed').map(({ data }) => (data as { message: object }).message);
    t.same(told, messages.slice(1), 'each message is complete and in order');
    const texts = textsOf(events);
    for (const { id, role, content } of messages) if (role === 'assistant') t.equal(texts.get(id), content);

    const middle = events.findIndex(({ type }) => type === 'message.delta');
    const rest = await readSome(client.sessions.stream({ session_id, after: events[middle]?.id as string }), events.length - middle - 1);
    t.same(rest, events.slice(middle + 1), 'the stream resumes');
  });
});

t.test('a reader who opens a session during a reply receives all of its text', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const client = administrator(platform);
    let said = 0;
    let opened = 0;
    model.script(async (exchange) => {
      for (; said < 200; said += 1) {
        exchange.text(`${said} `);
        await sleep(4);
      }
      await until(
        () => opened,
        (count) => count === 8,
      );
      exchange.finish();
    });
    const sent = await client.chat.send({ content: 'Count' });
    const reply = await replyTo(client, sent);
    const readers = Array.from({ length: 8 }, async (_, n) => {
      await until(
        () => said,
        (count) => count >= 25 * n,
      );
      const events: StreamEvent[] = [];
      for await (const event of client.sessions.stream({ session_id: sent.session_id })) {
        if (events.push(event) === 1) opened += 1;
        if (event.type === 'message.completed') return events;
      }
      return events;
    });
    for (const [n, events] of (await Promise.all(readers)).entries()) {
      const { content } = await client.messages.get({ message_id: reply.id });
      t.equal(textsOf(events).get(reply.id), content, `reader ${n}`);
    }
  });
});
