import type { OpenAI } from 'openai';
import t from 'tap';
import { callTools, say } from '../../../helpers/model-server.js';
import { someone } from '../../chat/world.js';
import { clientOf, eachWorld, employee, user } from './world.js';

const weather: OpenAI.Chat.ChatCompletionTool = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather somewhere',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const asksForWeather = callTools([{ name: 'weather', arguments: { city: 'Köln' }, id: 'w1' }]);

t.test('calls of the client’s own tools are returned, and their results are passed on', async (t) => {
  await eachWorld(t, async (t, { platform, model, client }) => {
    const name = await employee(platform, 'autonomous');
    for (const stream of [false, true]) {
      model.script(asksForWeather, say('Rain in Köln.'));
      const run = ({ city }: { city: string }) => `rain in ${city}`;
      const parameters = weather.function.parameters as object;
      const tool = {
        type: 'function' as const,
        function: { name: 'weather', description: '', parameters, parse: JSON.parse, function: run },
      };
      const body = { model: name, messages: [user('Weather in Köln?')], tools: [tool] };
      const runner = stream
        ? client.chat.completions.runTools({ ...body, stream: true })
        : client.chat.completions.runTools({ ...body, stream: false });
      t.equal(await runner.finalContent(), 'Rain in Köln.', stream ? 'streamed' : 'whole');
      const { messages, tools } = model.exchanges.at(-1)?.body ?? {};
      t.match(messages?.slice(-3), [
        { role: 'user', content: 'Weather in Köln?' },
        { role: 'assistant', tool_calls: [{ id: 'w1', function: { name: 'weather', arguments: '{"city":"Köln"}' } }] },
        { role: 'tool', tool_call_id: 'w1', content: 'rain in Köln' },
      ]);
      t.equal(tools?.[0]?.function.name, 'weather');
    }
    model.script(asksForWeather);
    const answer = await client.chat.completions.create({ model: name, messages: [user('?')], tools: [weather] });
    t.match(answer.choices[0], { finish_reason: 'tool_calls', message: { content: null, tool_calls: [{ id: 'w1', type: 'function' }] } });
  });
});

t.test("the AI employee's own tools run here with the permissions of the token and its member", async (t) => {
  await eachWorld(t, async (t, { platform, model, client, me }) => {
    const name = await employee(platform);
    const asks = callTools([{ name: 'members_list', arguments: { keyword: me.name } }]);
    model.script(asks, say('Found.'));
    const answer = await client.chat.completions.create({ model: name, messages: [user('Who am I?')], tools: [weather] });
    t.match(answer.choices[0], { finish_reason: 'stop', message: { content: 'Found.' } });
    t.match(model.exchanges.at(-1)?.body.messages.at(-1), { role: 'tool', content: new RegExp(`"username":"${me.name}"`) });
    t.ok(model.exchanges.at(-1)?.body.tools?.some(({ function: each }) => each.name === 'members_list'));

    const { token } = await me.http.tokens.create({ name: 'chat only', scopes: ['chat'] });
    model.script(asks, say('No.'));
    await clientOf(platform, token).chat.completions.create({ model: name, messages: [user('Who am I?')] });
    t.match(
      model.exchanges.at(-1)?.body.messages.at(-1),
      { role: 'tool', content: /Unknown tool/ },
      'the tools have no more permissions than the token',
    );
  });
});

t.test('if both kinds are called at once, only the client’s calls are returned', async (t) => {
  await eachWorld(t, async (t, { platform, model, client }) => {
    const name = await employee(platform, 'autonomous');
    model.script(callTools([{ name: 'members_list' }, { name: 'weather', arguments: { city: 'Bonn' } }]));
    const answer = await client.chat.completions.create({ model: name, messages: [user('?')], tools: [weather] });
    t.same(
      answer.choices[0]?.message.tool_calls?.map((call) => 'function' in call && call.function.name),
      ['weather'],
    );
  });
});

t.test('calls that need approval are rejected and not stored, because nobody can approve', async (t) => {
  await eachWorld(t, async (t, { platform, model, client, me }) => {
    const name = await employee(platform, 'supervised');
    model.script(callTools([{ name: 'members_list' }]), say('I may not.'));
    const answer = await client.chat.completions.create({ model: name, messages: [user('List all')] });
    t.equal(answer.choices[0]?.message.content, 'I may not.');
    t.match(model.exchanges.at(-1)?.body.messages.at(-1), { role: 'tool', content: /^Error: This needs a person's approval/ });
    t.same(await me.http.sessions.list({ limit: 10, offset: 0 }), []);
  });
});

t.test("an AI employee's tools do not find another member's session", async (t) => {
  await eachWorld(t, async (t, { platform, model, client, me }) => {
    const other = await someone(t, platform);
    const name = await employee(platform, 'autonomous');
    for (const [whose, told] of [
      [other, /session_not_found/],
      [me, /^\[\]$/],
    ] as const) {
      const { id } = await whose.http.sessions.create({ title: 'hidden', target_type: '', target_id: '' });
      model.script(callTools([{ name: 'messages_list', arguments: { session_id: id } }]), say('No.'));
      await client.chat.completions.create({ model: name, messages: [user('Read it')] });
      t.match(model.exchanges.at(-1)?.body.messages.at(-1), { role: 'tool', content: told });
    }
  });
});
