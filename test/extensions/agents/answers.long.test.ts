import t from 'tap';
import { eachPlatform, sharedSettings } from '../../helpers/cluster.js';
import { say } from '../../helpers/model-server.js';
import { skipWithout } from '../../helpers/parts.js';
import { startPlatform } from '../../helpers/platform.js';
import { administrator, collect, converse, failureOf, onEachPlatform, someone, textOf, typesOf } from '../chat/world.js';

t.test('the first start creates one AI employee, which answers by default', async (t) => {
  await eachPlatform(t, {}, async (t, platform, again) => {
    const employees = await administrator(platform).members.list_virtual({});
    t.match(employees, [{ name: 'Assistant', is_virtual: true, mode: 'assistant' }]);
    const { reply } = await converse(administrator(platform), 'Hello');
    t.match(reply, { sender_id: employees[0]?.id, sender_name: 'Assistant' });
    await platform.kernel.close();
    t.same(await administrator(await again()).members.list_virtual({}), employees);
  });
});

t.test('one of several concurrent first starts creates the AI employee', { skip: skipWithout('postgres', 'redis') }, async (t) => {
  const settings = await sharedSettings(t);
  const platforms = await Promise.all([1, 2, 3].map(() => startPlatform(t, { settings })));
  for (const platform of platforms) t.equal((await administrator(platform).members.list_virtual({})).length, 1);
});

t.test('after the first AI employee is deleted the oldest other one answers, or nobody; it is not created again', async (t) => {
  await eachPlatform(t, {}, async (t, platform, again) => {
    const client = administrator(platform);
    const [first] = await client.members.list_virtual({});
    const second = await client.members.create_virtual({ name: 'Vic' });
    await client.members.delete({ id: first?.id as number });
    t.match((await converse(client, 'Hello')).reply, { sender_id: second.id, sender_name: 'Vic' });
    await client.members.delete({ id: second.id });
    t.same(await failureOf(client.chat.send({ content: 'Hello' })), { code: 'no_ai_employee', status: 409 });
    await platform.kernel.close();
    t.same(await administrator(await again()).members.list_virtual({}), []);
  });
});

t.test('the offline responder', async (t) => {
  await eachPlatform(t, {}, async (t, platform) => {
    await t.test('without a model the offline responder names the missing settings', async (t) => {
      const { reply, events } = await converse((await someone(t, platform)).http, 'Hello');
      t.match(reply.content, /no model is configured/);
      for (const name of ['PLATFORM_MODEL_BASE_URL', 'PLATFORM_MODEL_NAME', 'PLATFORM_MODEL_API_KEY', '/help'])
        t.match(reply.content, name);
      t.equal(textOf(events), reply.content);
      t.ok(events.filter(({ type }) => type === 'message.delta').length > 10, 'the reply is streamed in small pieces');
    });
    await t.test("the offline responder runs commands with the asker's rights", async (t) => {
      const { http: ada, name: username } = await someone(t, platform);
      const ask = async (client: typeof ada, content: string) => (await converse(client, content)).reply.content;
      t.match(await ask(ada, '/help'), /`\/tools`.*`\/call <operation> <json>`/s);
      t.match(await ask(ada, '/dance now'), /There is no command `\/dance`\. Commands: `\/help`, `\/tools`, `\/call`\./);
      t.match(await ask(ada, '/tools'), /`members\.list`: Lists people/);

      const { reply, events } = await converse(ada, `/call members.list {"keyword": "${username}"}`);
      t.match(reply.content, `"username": "${username}"`);
      t.match(reply.tool_calls, [{ name: 'members.list', input: { keyword: username }, output: `"username":"${username}"`, error: null }]);
      t.same(
        typesOf(events).filter((type) => type.startsWith('tool.')),
        ['tool.started', 'tool.finished'],
      );
      t.match(await ask(ada, '/call sessions.list'), /"id":/, "the command lists the member's own sessions");

      t.match(await ask(ada, '/call'), /Which operation/);
      t.match(await ask(ada, '/call members.list [1]'), /must be a JSON object/);
      t.match(await ask(ada, '/call members.list {oops'), /must be a JSON object/);
      const refused = await converse(ada, '/call members.list {"page": 0}');
      t.match(refused.reply.content, /failed: .*page.*\(invalid_input\)/);
      t.match(refused.reply.tool_calls, [{ output: null, error: /invalid_input/ }]);
      t.match(await ask(ada, '/call auth.login {}'), /not an operation that I can call/);
      t.match(await ask(ada, '/call members.delete {"id": 1}'), /not an operation that I can call/);
      t.match(await ask(ada, '/call tokens.create {}'), /not an operation that I can call/);
    });
    await t.test('a token with the chat scope gains no permissions through a command', async (t) => {
      const me = await someone(t, platform);
      const { token } = await me.http.tokens.create({ name: 'chat only', scopes: ['chat'] });
      const send = (content: string) =>
        fetch(`${platform.url}/api/chat/send`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ content }),
        });
      const { message_id } = (await (await send('/call members.list {}')).json()) as { message_id: string };
      const events = await collect(me.http.messages.stream({ message_id }));
      t.match(textOf(events), /not an operation that I can call/);
    });
  });
});

t.test('a failing model produces a failed reply with its code, and the next message works', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const client = (await someone(t, platform)).http;
    model.script((exchange) => exchange.status(401));
    const { sent, reply, events } = await converse(client, 'Hello');
    t.match(reply, { status: 'failed', content: '', error: { code: 'model_auth', message: /PLATFORM_MODEL_API_KEY/ } });
    t.match(await client.tasks.get({ task_id: sent.task_id as string }), { status: 'failed', reason: 'model_auth', error: reply.error });
    t.same(typesOf(events).slice(-3), ['message.failed', 'task.updated', 'done']);

    model.script((exchange) => exchange.text('Half an ', 'break off'));
    t.match((await converse(client, 'Again', sent.session_id)).reply, {
      status: 'failed',
      content: 'Half an ',
      error: { code: 'model_error' },
    });

    model.script(say('Well.'));
    t.match((await converse(client, 'And again', sent.session_id)).reply, { status: 'completed', content: 'Well.', error: null });
    t.notMatch(JSON.stringify(platform.lines), /sk-test/, 'the key is in no log line');
  });
});

t.test('the model receives its role and the member it works for', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    model.script(say('Yes.'));
    const client = administrator(platform);
    const { id } = await client.members.create_virtual({ name: 'Vic', post: 'Accountant', mode: 'supervised' });
    const session = await client.sessions.create({ title: '', target_type: 'ai', target_id: String(id) });
    await converse(client, 'Hello', session.id);
    const { model: name, messages } = model.exchanges.at(-1)?.body ?? {};
    t.equal(name, 'test-model');
    t.match(messages, [
      { role: 'system', content: /You are Vic, an AI employee.*Accountant/ },
      { role: 'user', content: 'Hello' },
    ]);
  });
});
