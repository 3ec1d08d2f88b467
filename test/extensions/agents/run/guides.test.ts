import type { OpenAI } from 'openai';
import t from 'tap';
import { type AskedBody, say } from '../../../helpers/model-server.js';
import { fixture, ownExtension, startPlatform } from '../../../helpers/platform.js';
import { administrator, withModel } from '../../chat/world.js';
import { agentsOf } from '../employment.js';
import { clientOf, user } from '../openai/world.js';
import { ask, bring, pair, tool } from '../world.js';

const system = (body: AskedBody | undefined) => String(body?.messages[0]?.content);

t.test('the prompt includes guides for the available tools while there is room', async (t) => {
  const { model, options } = await withModel(t);
  const extensions = [...['members', 'chat', 'agents'].map(ownExtension), fixture('toolsmith')];
  const platform = await startPlatform(t, { ...options, extensions });
  const { ada, target_id } = await pair(t, platform, 'autonomous');
  const look = () => ({ output: '' });
  bring([tool('look', look, { guide: 'Look well.' }), tool('see', look), tool('gaze', look, { guide: `Gaze ${'far '.repeat(9_000)}` })]);
  const told = async () => {
    await ask(ada.direct, { content: 'Hello', target_id });
    return system(model.exchanges.at(-1)?.body);
  };
  t.match(await told(), /Today is \w+, [0-9-]+ \(UTC\)\.\n\nLook well\.\n\nGaze far far/);
  t.ok((await told()).length < 22_000, 'a long guide is truncated');

  model.script((exchange) => exchange.status(400, { code: 'context_length_exceeded' }), say('Hello.'));
  t.notMatch(await told(), /Look well|Gaze/, 'a prompt without room has no guides');
  t.equal(model.exchanges.at(-1)?.body.tools?.filter(({ function: { name } }) => /look|gaze/.test(name)).length, 2);

  const { token } = await ada.http.tokens.create({ name: 'openai', scopes: ['read', 'chat'] });
  const client = clientOf(platform, token);
  await agentsOf(platform).update({ member_id: target_id, instructions: 'Be brief.' });
  const { username } = await administrator(platform).members.get({ id: target_id });
  const asked = async (...tools: OpenAI.Chat.ChatCompletionTool[]) => {
    await client.chat.completions.create({ model: username, messages: [user('Hello')], tools });
    return system(model.exchanges.at(-1)?.body);
  };
  t.match(await asked(), /Your instructions:\nBe brief\.\n\nLook well\.\n\nGaze/);
  const hidden = await asked({ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } });
  t.notMatch(hidden, /Look well/, 'the guide of a tool that the client replaces is omitted');
  t.match(hidden, /Gaze/);

  await agentsOf(platform).update({ member_id: target_id, tools: ['see'] });
  t.notMatch(await told(), /Look well|Gaze/, 'the guide of a tool that is not allowed is omitted');
});
