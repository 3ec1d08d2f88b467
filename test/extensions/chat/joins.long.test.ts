import t from 'tap';
import type { Run } from '../../../extensions/chat/contract.js';
import { gate, onOneAndTwo, scripted } from './scribe.js';
import { administrator, collect, failureOf, messageIn, replyTo, someone, typesOf } from './world.js';

t.test('a text joins a running task once before its next step, on any instance', async (t) => {
  await onOneAndTwo(t, async (t, [one, two]) => {
    const [begun, told] = [gate(), gate()];
    const given: string[][] = [];
    const take = async (run: Run) => void given.push((await run.joined()).map(({ content }) => content));
    const message = await scripted(one, async (run) => {
      await take(run);
      await run.write('First. ');
      begun.open();
      await told.passed;
      await take(run);
      await take(run);
      await run.write('Second.');
    });
    const [client, other] = [administrator(one), administrator(two)];
    const sent = await client.chat.send(message);
    const task_id = sent.task_id as string;
    await begun.passed;
    const joined = await other.tasks.message({ task_id, content: 'And this?' });
    t.match(joined, { task_id, session_id: sent.session_id });
    t.match(await client.messages.get({ message_id: joined.message_id }), {
      role: 'user',
      content: 'And this?',
      task_id,
      status: 'completed',
      reply_to: null,
    });
    told.open();
    const events = await collect(client.messages.stream({ message_id: sent.message_id }));
    t.same(given, [[], ['And this?'], []]);
    t.equal(messageIn(events, 'message.joined')?.id, joined.message_id, 'readers see where the text joined');
    t.match(await replyTo(client, sent), { content: 'First. Second.', status: 'completed' });
    t.same(await failureOf(other.tasks.message({ task_id, content: 'Late' })), { code: 'task_finished', status: 409 });
    t.equal((await client.sessions.get({ session_id: sent.session_id })).active_task_id, null);
  });
});

t.test('every text sent while a task ends is answered or refused', async (t) => {
  await onOneAndTwo(t, async (t, [one, two]) => {
    const clients = [administrator(one), administrator(two)] as const;
    let [accepted, refused, again] = [0, 0, 0];
    for (let turn = 0; turn < 20; turn += 1) {
      const [given, times]: [string[], string[]] = [[], []];
      let asked = 0;
      const message = await scripted(one, async (run) => {
        asked += 1;
        for (const { id, created_at } of await run.joined()) {
          given.push(id);
          times.push(created_at);
        }
        await run.write('.');
      });
      const sent = await clients[0].chat.send(message);
      const texts: string[] = [];
      const reading = collect(clients[0].messages.stream({ message_id: sent.message_id }));
      const sending = Array.from({ length: 6 }, async (_, n) => {
        // The last one comes too late, however busy the machine is.
        await (n === 5 ? reading : new Promise((resolve) => setTimeout(resolve, n * n * 4)));
        const work = (clients[n % 2] as (typeof clients)[0]).tasks.message({ task_id: sent.task_id as string, content: `${n}` });
        const failure = await failureOf(work);
        if (failure) {
          t.same(failure, { code: 'task_finished', status: 409 });
          refused += 1;
        } else texts.push((await work).message_id);
      });
      await Promise.all([reading, ...sending]);
      t.same(times, times.toSorted(), 'the texts are in order');
      t.same(new Set(given), new Set(texts), `round ${turn}: every accepted text was delivered once`);
      t.equal(given.length, texts.length);
      accepted += texts.length;
      again += asked - 1;
    }
    t.comment(`${accepted} accepted, ${refused} refused, asked again ${again} times`);
    t.ok(accepted > 0 && refused > 0);
  });
});

t.test('a text waits with its queued task, and precedes its reply in the history', async (t) => {
  await onOneAndTwo(t, async (t, [one]) => {
    const client = administrator(one);
    const held = gate();
    const first = await scripted(one, async (run) => {
      await held.passed;
      await run.write('One.');
    });
    const seen: string[][] = [];
    const look = async (run: Run) => {
      const history = await run.history(50);
      seen.push([...history, ...(await run.joined())].map(({ content }) => content));
      await run.write('Two.');
    };
    const [second, third] = [await scripted(one, look), await scripted(one, look)];
    const { session_id } = await client.chat.send(first);
    const queued = await client.chat.send({ content: second.content, session_id });
    await client.tasks.message({ task_id: queued.task_id as string, content: 'Joined' });
    held.open();
    await collect(client.messages.stream({ message_id: queued.message_id }));
    const last = await client.chat.send({ content: third.content, session_id });
    await collect(client.messages.stream({ message_id: last.message_id }));
    t.same(seen, [
      [first.content, 'One.', second.content, 'Joined'],
      [first.content, 'One.', second.content, 'Joined', 'Two.', third.content],
    ]);
  });
});

t.test('an answerer that never reads joined texts is called once more, and the task ends', async (t) => {
  await onOneAndTwo(t, async (t, [one]) => {
    const client = administrator(one);
    const [begun, told] = [gate(), gate()];
    let asked = 0;
    const message = await scripted(one, async (run) => {
      asked += 1;
      begun.open();
      await told.passed;
      await run.write('.');
    });
    const sent = await client.chat.send(message);
    await begun.passed;
    await client.tasks.message({ task_id: sent.task_id as string, content: 'Ignored' });
    told.open();
    const events = await collect(client.messages.stream({ message_id: sent.message_id }));
    t.equal(asked, 2);
    t.same(typesOf(events).slice(-3), ['message.completed', 'task.updated', 'done']);
  });
});

t.test('texts are rejected for foreign tasks, finished tasks, and tasks with more rights than the token', async (t) => {
  await onOneAndTwo(t, async (t, [one]) => {
    const held = gate();
    const message = await scripted(one, () => held.passed);
    const [ada, bob] = [await someone(t, one), await someone(t, one)];
    const sent = await ada.http.chat.send(message);
    const input = { task_id: sent.task_id as string, content: 'Mine?' };
    for (const client of [bob.direct, bob.http, administrator(one)]) {
      t.same(await failureOf(client.tasks.message(input)), { code: 'task_not_found', status: 404 });
    }
    const limited = { ...(await one.kernel.tokenCaller(ada.token, 'direct')), scopes: ['chat'] as const };
    t.match(await failureOf(one.kernel.invoke('tasks.message', input, limited)), { code: 'scope_missing', status: 403 });
    await ada.http.chat.abort({ message_id: sent.message_id });
    t.same(await failureOf(ada.http.tasks.message(input)), { code: 'task_finished', status: 409 });
    held.open();
  });
});

t.test('a task waits during an open approval and can be aborted at once', async (t) => {
  await onOneAndTwo(t, async (t, [one, two]) => {
    const client = administrator(two);
    const [asking, decided] = [gate(), gate()];
    const message = await scripted(one, async (run) => {
      await run.write('May I? ');
      await Promise.all([run.approvals.required({ id: 'a' }), run.approvals.required({ id: 'b' })]);
      asking.open();
      await decided.passed;
      await run.approvals.resolved({ id: 'a' });
      await run.approvals.resolved({ id: 'b' });
      await run.write('Thanks.');
    });
    const sent = await client.chat.send(message);
    const task_id = sent.task_id as string;
    await asking.passed;
    t.match(await client.tasks.get({ task_id }), { status: 'waiting_approval' });
    t.match(await client.tasks.active(), [{ id: task_id, status: 'waiting_approval' }]);
    t.match(await replyTo(client, sent), { content: 'May I? ' }, 'the earlier text of the reply is stored');
    decided.open();
    const events = await collect(client.messages.stream({ message_id: sent.message_id }));
    const told = events.filter(({ type }) => type.startsWith('approval.') || type === 'task.updated');
    t.same(
      told.map(({ type, data }) => [
        type,
        (data as { task?: { status: string } }).task?.status ?? (data as { approval?: { id: string } }).approval?.id,
      ]),
      [
        ['task.updated', 'queued'],
        ['task.updated', 'running'],
        ['task.updated', 'waiting_approval'],
        ['approval.required', 'a'],
        ['approval.required', 'b'],
        ['approval.resolved', 'a'],
        ['approval.resolved', 'b'],
        ['task.updated', 'running'],
        ['task.updated', 'completed'],
      ],
    );

    const waits = gate();
    const stuck = await scripted(one, async (run) => {
      await run.approvals.required({ id: 'c' });
      waits.open();
      await new Promise((resolve) => run.signal.addEventListener('abort', resolve));
    });
    const aborted = await client.chat.send(stuck);
    await waits.passed;
    const begun = Date.now();
    t.match(await client.chat.abort({ message_id: aborted.message_id }), { aborted: true, status: 'cancelled' });
    t.ok(Date.now() - begun < 2_000, `it took ${Date.now() - begun} ms`);
  });
});
