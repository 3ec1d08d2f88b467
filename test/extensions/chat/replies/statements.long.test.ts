import t from 'tap';
import { until } from '../../../helpers/eventually.js';
import { gate, onOneAndTwo, scripted } from '../scribe.js';
import { watchStatements } from '../statements.js';
import { collect, messageIn, readOn, someone } from '../world.js';

/** Statements on the table of tasks for a conversation of one message. On PostgreSQL a worker that has claimed one looks for another. */
const asked = { one: 9, two: 10 };
const conversations = 60;
/** Statements that run by the clock: looking for dead processes, and for tasks that need a node. */
const by_clock = /lease_until < |GROUP BY t\.member_id/;
/** Statements that read a session, with the ids of its tasks. */
const reads_session = /string_agg/;

t.test('a task without a node runs no statements about nodes', async (t) => {
  const seen = watchStatements('chat_tasks');
  await onOneAndTwo(t, async (t, [one, two]) => {
    const each = one === two ? asked.one : asked.two;
    const me = await someone(t, one);
    const message = await scripted(one, async (run) => run.write('Hello'));
    const first = await me.direct.chat.send(message);
    await collect(me.direct.messages.stream({ message_id: first.message_id }));
    seen.length = 0;
    for (let n = 0; n < conversations; n += 1) {
      const { message_id } = await me.direct.chat.send({ ...message, session_id: first.session_id });
      await collect(me.direct.messages.stream({ message_id }));
    }
    const more = seen.filter((sql) => !by_clock.test(sql) && !reads_session.test(sql)).length - each * conversations;
    t.ok(Math.abs(more) < conversations / 2, `${more} more than ${each} for each of ${conversations} conversations`);
    t.ok(seen.filter((sql) => /GROUP BY t\.member_id/.test(sql)).length < conversations / 2, 'tasks that need a node are polled');
    const looks = seen.filter((sql) => /t\.node_id/.test(sql) && !/t\.node_id IS NULL/.test(sql) && !by_clock.test(sql));
    t.same(looks, [], 'no statement is about nodes');
  });
});

/** Statements that do not belong to a reply: the kernel's, those by the clock, and looks for waiting tasks, which many ends share. */
const kernels =
  /kernel_|search_backlog|FROM chat_tasks WHERE requested_by|AS ready FROM chat_tasks|lease_until < |GROUP BY t\.member_id|SET lease_until/;
const at_once = 60;

t.test('replies that end together are stored together', async (t) => {
  const seen = watchStatements('');
  await onOneAndTwo(t, async (t, [one]) => {
    const me = await someone(t, one);
    const { open, passed } = gate();
    const message = await scripted(one, async (run) => {
      await run.write('Hello');
      await passed;
    });
    const sent = await Promise.all(Array.from({ length: at_once }, () => me.direct.chat.send(message)));
    const streams = await Promise.all(sent.map(({ message_id }) => readOn(me.direct.messages.stream({ message_id }))));
    await until(
      async () => (await me.direct.tasks.active({})).filter(({ status }) => status === 'running').length,
      (running) => running === at_once,
    );
    seen.length = 0;
    open();
    for (const { end } of streams) t.match(messageIn(await end, 'message.completed'), { content: 'Hello', status: 'completed' });
    const own = seen.filter((sql) => !kernels.test(sql));
    t.ok(own.length < 2 * at_once, `${own.length} statements for ${at_once} ended replies`);
    const tasks = await Promise.all(sent.map(({ task_id }) => me.direct.tasks.get({ task_id: task_id as string })));
    t.ok(tasks.every(({ status }) => status === 'completed'));
    t.same((await me.direct.unread.counts({})).counts, Object.fromEntries(sent.map(({ session_id }) => [session_id, 0])));
  });
});
