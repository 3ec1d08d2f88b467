import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { say } from '../../helpers/model-server.js';
import { collect, converse, failureOf, messageIn, onEachPlatform, someone, textOf, typesOf } from './world.js';

/** Fields of a message that later changes set. */
const unchanged = { edited_at: null, deleted_at: null, thread_id: null, reply_count: 0, last_reply_at: null, reactions: [] };

t.test('a message is answered in a stream, and both are stored', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const me = await someone(t, platform);
    for (const client of [me.direct, me.http]) {
      model.script((exchange) => {
        exchange.delta({ reasoning_content: 'Hm.' });
        exchange.text('Good ');
        exchange.text('morning.');
        exchange.delta({}, 'stop');
        exchange.usage(12, 3);
        exchange.end();
      });
      const content = '  Hello, how are you today? I would like to know more.  ';
      const { sent, reply, events } = await converse(client, content);
      t.equal(textOf(events), 'Good morning.');
      t.same(typesOf(events.filter(({ type }) => type !== 'task.updated')), [
        'message.started',
        'reasoning.delta',
        'message.delta',
        'message.completed',
        'done',
      ]);
      const states = events
        .filter(({ type }) => type === 'task.updated')
        .map(({ data }) => (data as { task: { status: string } }).task.status);
      t.same(states, ['queued', 'running', 'completed']);
      const seqs = events.map(({ data }) => (data as { seq: number }).seq);
      t.same(
        seqs,
        seqs.map((_seq, index) => index),
        'seq increases by one',
      );
      for (const { data } of events) t.match(data, { task_id: sent.task_id, message_id: reply.id });

      const [message, stored] = await client.messages.list({ session_id: sent.session_id, limit: 50 });
      t.same(message, {
        id: sent.message_id,
        session_id: sent.session_id,
        role: 'user',
        sender_id: me.id,
        sender_name: me.name,
        content,
        images: [],
        files: [],
        reply_to: null,
        task_id: sent.task_id,
        status: 'completed',
        error: null,
        notices: [],
        usage: null,
        tool_calls: [],
        mentions: [],
        created_at: message?.created_at,
        updated_at: message?.created_at,
        ...unchanged,
      });
      t.same(stored, {
        id: reply.id,
        session_id: sent.session_id,
        role: 'assistant',
        sender_id: 2,
        sender_name: 'Assistant',
        content: 'Good morning.',
        images: [],
        files: [],
        reply_to: sent.message_id,
        task_id: sent.task_id,
        status: 'completed',
        error: null,
        notices: [],
        usage: { input_tokens: 12, output_tokens: 3 },
        tool_calls: [],
        mentions: [],
        created_at: stored?.created_at,
        updated_at: stored?.updated_at,
        ...unchanged,
      });
      t.same(messageIn(events, 'message.completed'), stored);
      t.same(await client.messages.get({ message_id: reply.id }), stored);
      t.match(await client.sessions.get({ session_id: sent.session_id }), {
        title: 'Hello, how are you today? I would like t',
        last_message_preview: 'Good morning.',
        last_message_at: stored?.created_at,
        unread_count: 0,
        active_task_id: null,
      });
      t.match(await client.tasks.get({ task_id: sent.task_id as string }), {
        id: sent.task_id,
        session_id: sent.session_id,
        message_id: sent.message_id,
        reply_id: reply.id,
        member_id: 2,
        requested_by: me.id,
        node_id: null,
        status: 'completed',
        reason: null,
        error: null,
      });
      t.same(await client.tasks.active(), []);
    }
  });
});

t.test('a second message waits for the first reply and has both in its context', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const client = (await someone(t, platform)).direct;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    model.script(async (exchange) => {
      exchange.text('First ');
      await held;
      exchange.text('reply.');
      exchange.finish();
    }, say('Second reply.'));
    const asked = model.exchanges.length;
    const first = await client.chat.send({ content: 'First' });
    const second = await client.chat.send({ content: 'Second', session_id: first.session_id });
    const third = await client.chat.send({ content: 'Third', session_id: first.session_id });
    t.match(await client.tasks.get({ task_id: second.task_id as string }), { status: 'queued', started_at: null });
    t.match(await client.sessions.get({ session_id: first.session_id }), { active_task_id: first.task_id });
    t.same(
      (await client.tasks.active()).map(({ id }) => id),
      [first.task_id, second.task_id, third.task_id],
    );
    release();
    await Promise.all([first, second, third].map(({ message_id }) => collect(client.messages.stream({ message_id }))));
    t.same(
      model.exchanges.slice(asked).map(({ body }) => body.messages.slice(1)),
      [
        [{ role: 'user', content: 'First' }],
        [
          { role: 'user', content: 'First' },
          { role: 'assistant', content: 'First reply.' },
          { role: 'user', content: 'Second' },
        ],
        [
          { role: 'user', content: 'First' },
          { role: 'assistant', content: 'First reply.' },
          { role: 'user', content: 'Second' },
          { role: 'assistant', content: 'Second reply.' },
          { role: 'user', content: 'Third' },
        ],
      ],
    );
    const times = (await client.messages.list({ session_id: first.session_id, limit: 50 })).map(({ created_at }) => created_at);
    t.equal(new Set(times).size, 6);
    t.same(times, [...times].sort());
  });
});

t.test('a session rejects more than 20 waiting messages until some are answered', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const client = (await someone(t, platform)).direct;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    model.script(async (exchange) => {
      await held;
      exchange.text('Yes.');
      exchange.finish();
    });
    const { session_id } = await client.chat.send({ content: '0' });
    while ((await client.tasks.active())[0]?.status !== 'running') await sleep(5);
    for (let n = 1; n <= 20; n += 1) await client.chat.send({ content: String(n), session_id });
    t.same(await failureOf(client.chat.send({ content: '21', session_id })), { code: 'session_busy', status: 409 });
    t.equal(
      (await client.messages.list({ session_id, limit: 200 })).filter(({ role }) => role === 'user').length,
      21,
      'nothing of the rejected message was stored',
    );
    release();
    while ((await client.tasks.active()).length > 0) await sleep(10);
    await client.chat.send({ content: 'again', session_id });
    while ((await client.tasks.active()).length > 0) await sleep(10);
  });
});

t.test('pages are strictly before a time or a message and skip nothing', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const client = (await someone(t, platform)).http;
    const { id: session_id } = await client.sessions.create({ title: 'notes', target_type: '', target_id: '' });
    // Side by side, so that many fall into one millisecond.
    await Promise.all(Array.from({ length: 40 }, (_, n) => client.chat.send({ content: `note ${n}`, session_id })));
    const all = await client.messages.list({ session_id, limit: 200 });
    t.equal(all.length, 40);
    const times = all.map(({ created_at }) => created_at);
    t.same(times, [...new Set(times)].sort(), 'created_at strictly increases');

    for (const edge of ['created_at', 'id'] as const) {
      const pages: string[][] = [];
      for (let before: string | undefined; ; ) {
        const page = await client.messages.list({ session_id, limit: 7, ...(before ? { before } : {}) });
        if (page.length === 0) break;
        pages.unshift(page.map(({ id }) => id));
        before = page[0]?.[edge];
      }
      t.same(
        pages.flat(),
        all.map(({ id }) => id),
        `by ${edge}`,
      );
      const later: string[][] = [];
      for (let after = all[0]?.[edge]; after !== undefined; ) {
        const page = await client.messages.list({ session_id, limit: 7, after });
        if (page.length > 0) later.push(page.map(({ id }) => id));
        after = page.at(-1)?.[edge];
      }
      t.same(
        later.flat(),
        all.slice(1).map(({ id }) => id),
        `later ones by ${edge}`,
      );
    }
    const both = client.messages.list({ session_id, before: '2100-01-01', after: '2000-01-01', limit: 5 });
    t.same(await failureOf(both), { code: 'invalid_input', status: 400 });
    const [, , third] = all;
    const at = third?.created_at as string;
    const countBefore = async (before: string) => (await client.messages.list({ session_id, before, limit: 200 })).length;
    t.equal(await countBefore(at.slice(0, -1)), 2, 'a time without a zone is in UTC');
    t.equal(await countBefore(`${at.slice(0, -1)}0001`), 3, 'a time may be finer than a millisecond');
    t.equal(await countBefore(at.replace('Z', '+00:00')), 2);
    t.equal(await countBefore('2000-01-01'), 0);
    t.same(await failureOf(client.messages.list({ session_id, before: 'yesterday', limit: 5 })), { code: 'invalid_input', status: 400 });
    t.same(await failureOf(client.messages.list({ session_id, before: session_id, limit: 5 })), { code: 'message_not_found', status: 404 });
  });
});

t.test('nobody answers a note: its stream has the note and ends', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const client = (await someone(t, platform)).http;
    const { id: session_id } = await client.sessions.create({ title: '', target_type: '', target_id: '' });
    const sent = await client.chat.send({ content: 'Buy milk', session_id });
    t.equal(sent.task_id, null);
    const events = await collect(client.messages.stream({ message_id: sent.message_id }));
    t.same(
      events.map(({ type }) => type),
      ['message.completed', 'done'],
    );
    t.match(events[0]?.data, { message: { content: 'Buy milk', status: 'completed', task_id: null } });
    t.same(await client.chat.abort({ message_id: sent.message_id }), {
      message_id: sent.message_id,
      task_id: null,
      status: null,
      aborted: false,
    });
  });
});

t.test('validates sent messages', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const client = (await someone(t, platform)).http;
    const invalid = { code: 'invalid_input', status: 400 };
    const send = (input: object) => failureOf(client.chat.send(input as { content: string }));
    t.same(await send({}), invalid);
    t.same(await send({ content: '' }), invalid);
    t.same(await send({ content: ' \n ' }), invalid);
    t.same(await send({ content: 'x'.repeat(32_001) }), invalid);
    t.match(await send({ content: 'a\0b' }), { status: 400 });
    t.same(await send({ content: 'Look', images: 'data:image/png;base64,AAAA' as never }), invalid);
    t.same(await send({ content: 'Hi', session_id: 'not-a-uuid' }), invalid);
    t.same(await send({ content: 'Hi', target_type: 'robot' }), invalid);
    t.same(await send({ content: 'Hi', target_id: '4711' }), invalid);
    await t.rejects(client.chat.send({ content: 'Hi', target_id: 'abc' }), { message: /there is no member 'abc'/ });
    t.same(await send({ content: 'Hi', session_id: '01890000-0000-7000-8000-000000000000' }), { code: 'session_not_found', status: 404 });
    t.same(await client.sessions.list({ limit: 20, offset: 0 }), []);
    const sent = await client.chat.send({ content: 'x'.repeat(32_000), images: [], session_id: '', target_type: 'ai' });
    t.equal((await client.messages.get({ message_id: sent.message_id })).content.length, 32_000);
  });
});

t.test('sends with the same key are stored once', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const client = (await someone(t, platform)).http;
    const options = { idempotency_key: 'once' };
    const first = await client.chat.send({ content: 'Hi' }, options);
    t.same(await client.chat.send({ content: 'Hi' }, options), first);
    await collect(client.messages.stream({ message_id: first.message_id }));
    t.equal((await client.messages.list({ session_id: first.session_id, limit: 50 })).length, 2);
    t.equal((await client.sessions.list({ limit: 20, offset: 0 })).length, 1);
  });
});
