import t from 'tap';
import type { AgentsApi } from '../../../extensions/agents/contract.js';
import type { ChatApi } from '../../../extensions/chat/contract.js';
import type { SchedulesApi } from '../../../extensions/schedules/contract.js';
import { connect } from '../../../kernel/client/connect.js';
import { direct } from '../../../kernel/client/direct.js';
import { until } from '../../helpers/eventually.js';
import { say, startModelServer } from '../../helpers/model-server.js';
import { adminPassword, callerOf, ownExtension, startPlatform } from '../../helpers/platform.js';
import { clientOf, history, scheduled, TestClock } from './world.js';

const extensions = ['members', 'chat', 'agents', 'schedules'].map(ownExtension);

t.test('an AI employee works on a schedule', async (t) => {
  const model = await startModelServer(t);
  const settings = { 'agents.model.base_url': model.url, 'agents.model.name': 'test-model', 'agents.model.api_key': 'sk-test' };
  const platform = await startPlatform(t, { extensions, settings });
  const admin = clientOf(platform);

  await t.test("the AI employee's reply is the result, and its conversation is linked", async (t) => {
    model.script(say('The inbox is empty.'));
    const look = await scheduled(admin, { action: 'tasks.run', params: { prompt: 'Look at the inbox' } });
    await admin.schedules.run({ id: look.id });
    const [run] = await history(admin, look, 1);
    t.match(run, { status: 'success', result: 'The inbox is empty.', session_id: String, task_id: String });
    const chat = connect<ChatApi>(platform.kernel.operations(), direct(platform.kernel, callerOf()));
    const messages = await chat.messages.list({ session_id: run?.session_id as string, limit: 10 });
    t.same(
      messages.map(({ content }) => content),
      ['Look at the inbox', 'The inbox is empty.'],
    );
  });

  await t.test('a failing reply fails the run, and stopping the run stops the reply', async (t) => {
    model.script((exchange) => exchange.status(401, { message: 'no' }));
    const fails = await scheduled(admin, { action: 'tasks.run', params: { prompt: 'Fail' } });
    await admin.schedules.run({ id: fails.id });
    t.match(await history(admin, fails, 1), [{ status: 'failed', error_code: 'model_auth' }]);

    model.script((exchange) => exchange.text('Begun'));
    const stopped = await scheduled(admin, { action: 'tasks.run', params: { prompt: 'Be stopped' } });
    await admin.schedules.run({ id: stopped.id });
    const { tasks } = connect<ChatApi>(platform.kernel.operations(), direct(platform.kernel, callerOf()));
    const [task] = await until(
      () => tasks.active(),
      ([first]) => first?.status === 'running',
    );
    await tasks.cancel({ task_id: task?.id as string });
    t.match(await history(admin, stopped, 1), [
      { status: 'failed', error_code: 'cancelled', result: /was stopped before it was complete/ },
    ]);

    let closed = false;
    model.script(async (exchange) => {
      exchange.text('Begun');
      await until(() => exchange.isClosed, Boolean);
      closed = true;
    });
    const slow = await scheduled(admin, { action: 'tasks.run', params: { prompt: 'Never end' }, timeout_s: 1 });
    await admin.schedules.run({ id: slow.id });
    t.match(await history(admin, slow, 1), [{ status: 'timeout', error_code: 'timeout' }]);
    await until(() => closed, Boolean);
    t.pass("the model's request was aborted too");
  });

  await t.test('an unknown AI employee and an invalid prompt are rejected', async (t) => {
    const nobody = await scheduled(admin, { action: 'tasks.run', params: { member_id: 1, prompt: 'Work' } });
    await admin.schedules.run({ id: nobody.id });
    t.match(await history(admin, nobody, 1), [{ status: 'failed', error_code: 'invalid_input' }]);
    await t.rejects(scheduled(admin, { action: 'tasks.run', params: { prompt: ' ' } }), {
      code: 'invalid_input',
      details: [{ path: 'params.prompt' }],
    });
  });
});

t.test('/schedule works without a model', async (t) => {
  const clock = new TestClock();
  const platform = await startPlatform(t, { extensions, clock });
  const clientAs = (caller = callerOf()) =>
    connect<ChatApi & AgentsApi & SchedulesApi>(platform.kernel.operations(), direct(platform.kernel, caller));
  const client = clientAs();
  const { members } = clientOf(platform);
  const { id: target_id } = await members.create_virtual({ name: 'Otto', mode: 'autonomous' });
  const said = async (content: string, asker = client) => {
    const { message_id, session_id } = await asker.chat.send({ content, target_id });
    for await (const { type } of asker.messages.stream({ message_id })) {
      if (type === 'approval.required') {
        const [asked] = await client.approvals.list({ status: 'pending', limit: 1, offset: 0 });
        await client.approvals.decide({ id: asked?.id as string, decision: 'approve', reason: '' });
      }
      if (type === 'done') break;
    }
    return (await asker.messages.list({ session_id, limit: 2 })).at(-1)?.content ?? '';
  };

  t.match(await said('/help'), /`\/schedule \[--timezone <zone>\] <when> <what>`: Schedules work for me, as `\/schedule 1h /);
  const { id } = await members.create({ username: 'ada', password: adminPassword });
  const ada = clientAs(callerOf({ member_id: id, username: 'ada', role: 'member' }));
  const notForMembers = /Only administrators may schedule work, and only while the extension `schedules` is active\./;
  t.match(await said('/help', ada), notForMembers);
  t.match(await said('/schedule 15m Look at the inbox', ada), notForMembers);
  t.match(await said('/schedule 15m Look at the inbox'), /Schedule 1 was created\. Its next run is at 20/);
  t.match(await said('/schedule 0 9 * * 1-5 Write the report'), /Schedule 2 was created/);
  t.match(await said('/schedule --timezone Asia/Tokyo 2099-07-01T09:00 Say hello'), /Its next run is at 2099-07-01T00:00:00\.000Z/);
  t.match(await said('/schedule --timezone Nowhere 2099-07-01T09:00 Say hello'), /no time zone 'Nowhere'/);
  t.match(await said('/schedule tomorrow Do it'), /is not a time/);
  t.match(await said('/schedule 15m'), /write the instructions/);
  const { items } = await client.schedules.list({ limit: 10, offset: 0 });
  t.match(items, [
    { name: 'Look at the inbox', trigger_type: 'interval', trigger_value: '15m', action: 'tasks.run', params: { member_id: target_id } },
    { name: 'Write the report', trigger_type: 'cron', trigger_value: '0 9 * * 1-5' },
    { name: 'Say hello', trigger_type: 'once', timezone: 'Asia/Tokyo' },
  ]);
  clock.move(15 * 60_000);
  const [run] = await history(client as never, { id: 1 }, 1);
  t.match(run, { status: 'success', trigger: 'schedule', session_id: String });
});
