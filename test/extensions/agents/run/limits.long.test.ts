import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import type { EmployeeChange } from '../../../../extensions/agents/contract.js';
import { until } from '../../../helpers/eventually.js';
import { callTools, say } from '../../../helpers/model-server.js';
import type { TestPlatform } from '../../../helpers/platform.js';
import { dataUrl, png } from '../../chat/pictures.js';
import { administrator, replyTo } from '../../chat/world.js';
import { ask, bring, onOneAndTwo, openApprovals, pair, reached, tool } from '../world.js';

const set = (platform: TestPlatform, member_id: number, change: EmployeeChange) =>
  administrator(platform).agents.update({ member_id, ...change });
const look = tool('look', () => ({ output: 'seen' }));

t.test('a run ends at its limits with their codes and keeps its text', async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [one] }) => {
    const { ada, target_id } = await pair(t, one, 'autonomous');
    bring([look, tool('hangs', () => new Promise(() => undefined))]);

    await set(one, target_id, { limits: { steps: 2 } });
    model.script(callTools([{ name: 'look' }], 'Looking.'));
    const begun = model.exchanges.length;
    const { reply, sent } = await ask(ada.http, { content: 'Go', target_id });
    t.match(reply, { status: 'failed', content: 'Looking.\n\nLooking.', error: { code: 'step_limit', message: /2 steps/ } });
    t.equal(reply.tool_calls.length, 2);
    t.equal(model.exchanges.length - begun, 2);
    t.match(await ada.http.tasks.get({ task_id: sent.task_id as string }), { status: 'failed', reason: 'step_limit' });

    await set(one, target_id, { limits: { steps: 50, tokens: 50 } });
    model.script((exchange) => {
      exchange.toolCall(0, { name: 'look' });
      exchange.delta({}, 'tool_calls');
      exchange.usage(40, 20);
      exchange.end();
    });
    t.match((await ask(ada.http, { content: 'Go', target_id })).reply, {
      error: { code: 'token_limit', message: /60 tokens/ },
      usage: { input_tokens: 40, output_tokens: 20 },
    });

    await set(one, target_id, { limits: { tokens: 1_000_000, seconds: 1 } });
    model.script(callTools([{ name: 'hangs' }], 'Hm.'));
    t.match((await ask(ada.http, { content: 'Go', target_id })).reply, {
      content: 'Hm.',
      error: { code: 'timeout', message: /longer than 1 s/ },
    });
    model.script((exchange) => exchange.text('And so on'));
    t.match((await ask(ada.http, { content: 'Go', target_id })).reply, { content: 'And so on', error: { code: 'timeout' } });
    model.script(say('Fine.'));
    t.match((await ask(ada.http, { content: 'Go', target_id })).reply, { status: 'completed' });
  });
});

t.test('reports the reached limit of a run over every transport', async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [one] }) => {
    const { ada, target_id } = await pair(t, one, 'autonomous');
    bring([look]);
    await set(one, target_id, { limits: { steps: 1 } });
    model.script(callTools([{ name: 'look' }]));
    const before = reached.length;
    const told = (count: number) =>
      until(
        () => reached.slice(before),
        ({ length }) => length === count,
      );
    const { sent } = await ask(ada.http, { content: 'Go', target_id });
    const run = { member_id: target_id, requested_by: ada.id, code: 'step_limit', message: /1 steps/ };
    t.match(await told(1), [{ ...run, session_id: sent.session_id, task_id: sent.task_id }]);
    const { token } = await ada.http.tokens.create({ name: 'openai', scopes: ['chat'] });
    const body = JSON.stringify({ model: String(target_id), messages: [{ role: 'user', content: 'Go' }] });
    const headers = { authorization: `Bearer ${token}` };
    await fetch(`${one.url}/api/v1/chat/completions`, { method: 'POST', headers, body });
    t.match((await told(2))[1], { ...run, session_id: null, task_id: null });
  });
});

t.test('the wait for an approval does not count towards the time limit', async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [one] }) => {
    const { ada, target_id } = await pair(t, one, 'supervised');
    bring([look]);
    await set(one, target_id, { limits: { seconds: 3 } });
    model.script(callTools([{ name: 'look' }]), say('Done.'));
    const sent = await ada.http.chat.send({ content: 'Go', target_id });
    const [approval] = await openApprovals(ada.http, sent);
    await sleep(3_500);
    await ada.http.approvals.decide({ id: approval?.id as string, decision: 'approve', reason: '' });
    t.match(
      await until(
        async () => replyTo(ada.http, sent),
        ({ status }) => status !== 'streaming',
      ),
      { status: 'completed', content: 'Done.' },
    );
  });
});

t.test("a run uses the AI employee's current instructions and allowed tools", async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [one, two] }) => {
    const { ada, target_id } = await pair(t, one, 'autonomous');
    const ran: string[] = [];
    bring(['look', 'other'].map((name) => tool(name, () => ({ output: `${ran.push(name)}` }))));
    await set(two, target_id, { instructions: 'Never speak of cheese.', tools: ['look', 'members.get'] });
    model.script(callTools([{ name: 'other' }, { name: 'look' }]), say('Done.'));
    const { reply } = await ask(ada.http, { content: 'Go', target_id });
    t.match(reply.tool_calls, [{ error: /Unknown tool 'other'/ }, { error: null }]);
    t.same(ran, ['look']);
    const { messages, tools } = model.exchanges.at(-1)?.body ?? { messages: [] };
    t.match(messages[0]?.content, /Your instructions:\nNever speak of cheese\./);
    t.same(tools?.map(({ function: { name } }) => name).sort(), ['look', 'members_get']);

    bring([
      tool('look', async () => {
        await set(two, target_id, { mode: 'supervised' });
        return { output: 'seen' };
      }),
    ]);
    model.script(callTools([{ name: 'look' }]), callTools([{ name: 'look' }]), say('Done.'));
    const sent = await ada.http.chat.send({ content: 'Go', target_id });
    const [approval] = await openApprovals(ada.http, sent);
    t.match(approval, { name: 'look' }, 'a changed mode applies at once');
    await set(two, target_id, { tools: ['members.get'] });
    await ada.http.approvals.decide({ id: approval?.id as string, decision: 'approve', reason: '' });
    const stopped = await until(
      async () => replyTo(ada.http, sent),
      ({ status }) => status === 'completed',
    );
    t.match(
      stopped.tool_calls,
      [{ output: 'seen' }, { output: null, error: "'look' is no longer permitted" }],
      'a removed tool is gone at once',
    );
  });
});

t.test("the model receives the conversation's images", async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [one] }) => {
    const { ada, target_id } = await pair(t, one, 'assistant');
    bring([]);
    model.script(say('A picture.'));
    const bytes = png(3, 4, ada.id);
    const sent = await ada.http.chat.send({ content: 'What is this?', images: [dataUrl(bytes)], target_id });
    await until(
      async () => replyTo(ada.http, sent),
      ({ status }) => status === 'completed',
    );
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${bytes.toString('base64')}` } };
    t.match(model.exchanges.at(-1)?.body.messages.at(-1), { role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] });
    await ask(ada.http, { content: 'And now?', session_id: sent.session_id });
    t.match(model.exchanges.at(-1)?.body.messages.at(-3), { content: [{ type: 'text' }, image] }, 'later requests include them too');
  });
});
