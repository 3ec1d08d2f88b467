import t from 'tap';
import type { Task } from '../../../extensions/chat/contract.js';
import { until } from '../../helpers/eventually.js';
import { gate, onOneAndTwo, scripted } from './scribe.js';
import { administrator, failureOf, replyTo, someone } from './world.js';

t.test('administrators see who runs what for whom without its content, and can stop it', async (t) => {
  await onOneAndTwo(t, async (t, [one, two]) => {
    const [ada, bob] = [await someone(t, one), await someone(t, two)];
    const working = gate();
    const message = await scripted(one, async (run) => {
      await run.write('A secret answer. ');
      run.usage({ input_tokens: 100, output_tokens: 7 });
      run.usage({ input_tokens: 11, output_tokens: 1 });
      const done = await run.tools.started('read_file', { path: 'a secret path' });
      await run.tools.finished(done, { output: 'a secret output', error: null });
      await run.tools.started('shell', { command: 'a secret command' });
      working.open();
      await new Promise((resolve) => run.signal.addEventListener('abort', resolve));
    });
    const sent = await ada.http.chat.send(message);
    const task_id = sent.task_id as string;
    await working.passed;
    const admin = administrator(two);
    const record = {
      task_id,
      member_id: message.target_id,
      member_name: 'Scribe',
      requested_by: ada.id,
      node_id: null,
      status: 'running',
      tool: 'shell',
      input_tokens: 111,
      output_tokens: 8,
    };
    const [run] = await admin.runs.list({ member_id: message.target_id, limit: 50, offset: 0 });
    t.match(run, record);
    t.ok((await admin.runs.list({ limit: 200, offset: 0 })).some((found) => found.task_id === task_id));
    const detail = await admin.runs.get({ task_id });
    t.match(detail, { ...record, oversight: false, message: null, reply: null });
    t.notMatch(JSON.stringify([run, detail]), /secret/);
    t.notMatch(JSON.stringify([run, detail]), new RegExp(message.content));
    for (const client of [bob.http, bob.direct, ada.http]) {
      const forbidden = { code: 'forbidden', status: 403 };
      t.same(await failureOf(client.runs.list({ limit: 50, offset: 0 })), forbidden);
      t.same(await failureOf(client.runs.get({ task_id })), forbidden);
      t.same(await failureOf(client.runs.abort({ task_id })), forbidden);
    }
    t.same(await admin.runs.abort({ task_id }), { task_id, status: 'cancelled', aborted: true });
    t.same(await admin.runs.abort({ task_id }), { task_id, status: 'cancelled', aborted: false });
    t.match(await replyTo(ada.http, sent), {
      status: 'aborted',
      content: 'A secret answer. ',
      usage: { input_tokens: 111, output_tokens: 8 },
    });
    t.same(await failureOf(admin.runs.get({ task_id })), { code: 'task_not_found', status: 404 });
    t.same(await admin.runs.list({ member_id: message.target_id, limit: 50, offset: 0 }), []);
  });
});

t.test("a member's own open tasks are listed in every state", async (t) => {
  await onOneAndTwo(t, async (t, [one]) => {
    const [ada, bob] = [await someone(t, one), await someone(t, one)];
    const [asking, held] = [gate(), gate()];
    const waits = await scripted(one, async (run) => {
      await run.approvals.required({ id: 1 });
      asking.open();
      await held.passed;
    });
    const runs = await scripted(one, () => held.passed);
    const first = await ada.http.chat.send(waits);
    await asking.passed;
    const second = await ada.http.chat.send(runs);
    const third = await ada.http.chat.send({ ...runs, session_id: second.session_id });
    const active = async () => (await ada.http.tasks.active()).map(({ id, status }: Task) => [id, status]);
    await until(
      async () => (await active())[1]?.[1],
      (status) => status === 'running',
    );
    t.same(await active(), [
      [first.task_id, 'waiting_approval'],
      [second.task_id, 'running'],
      [third.task_id, 'queued'],
    ]);
    t.same(await bob.http.tasks.active(), []);
    await ada.http.tasks.cancel({ task_id: third.task_id as string });
    t.equal((await active()).length, 2);
    held.open();
    await until(active, (found) => found.length === 0);
  });
});
