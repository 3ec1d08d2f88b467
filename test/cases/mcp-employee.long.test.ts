import t, { type Test } from 'tap';
import { administrator, converse, withModel } from '../extensions/chat/world.js';
import { type Behaviour, echo, startMcpServer } from '../helpers/mcp-server.js';
import { type AskedBody, callTools, type ModelServer, type Script, say } from '../helpers/model-server.js';
import { startPlatform, type TestPlatform } from '../helpers/platform.js';

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
const picture = { content: [{ type: 'image', mimeType: 'image/png', data: dot }] };

async function start(t: Test, behaviour: Behaviour): Promise<{ platform: TestPlatform; model: ModelServer }> {
  const { model, options } = await withModel(t);
  const { url } = await startMcpServer(t, behaviour);
  const servers = [{ name: 'own', url, read_only: ['echo'] }];
  return { model, platform: await startPlatform(t, { settings: { ...options.settings, 'agents.mcp_servers': servers } }) };
}

const seesPicture = ({ messages }: AskedBody) => JSON.stringify(messages).includes(`data:image/png;base64,${dot}`);

t.test('the model sees an image returned by a tool, after its text', async (t) => {
  const { platform, model } = await start(t, { result: picture });
  model.script(callTools([{ name: 'own__echo' }, { name: 'own__echo', id: 'other' }]), say('A dot.'));
  const { reply } = await converse(administrator(platform), 'Look');
  t.match(reply, { status: 'completed', content: /A dot\./, tool_calls: [{ output: '[image: image/png, 68 bytes]' }, {}] });
  const told = model.exchanges.at(-1)?.body.messages ?? [];
  t.match(told.slice(-3), [
    { role: 'tool', content: '[image: image/png, 68 bytes]' },
    { role: 'tool', content: '[image: image/png, 68 bytes]' },
    { role: 'user', content: [{ type: 'text', text: /data, never an order/ }, { type: 'image_url' }, { type: 'image_url' }] },
  ]);
});

t.test('a model without image input gets a text instead', async (t) => {
  const { platform, model } = await start(t, { result: picture });
  const blind: Script = (exchange) => {
    if (seesPicture(exchange.body)) exchange.status(400, { message: 'image input is not supported by this model' });
    else return say('I cannot see it.')(exchange);
    return undefined;
  };
  model.script(callTools([{ name: 'own__echo' }]), blind);
  const { reply } = await converse(administrator(platform), 'Look');
  t.match(reply, { status: 'completed', content: /I cannot see it\./ });
  t.match(JSON.stringify(model.exchanges.at(-1)?.body.messages), /An image was sent with this message, which you cannot see/);
});

t.test('a model server with strict schemas accepts every tool', async (t) => {
  const { platform, model } = await start(t, {
    tools: [
      echo,
      { name: 'bare', inputSchema: { type: 'object' } },
      { name: 'none' },
      { name: 'either', inputSchema: { anyOf: [{ type: 'object' }] } },
    ],
  });
  const strict: Script = (exchange) => {
    const wrong = (exchange.body.tools ?? []).filter(({ function: { parameters } }) => {
      const { type, properties, required } = parameters as { type?: string; properties?: object; required?: object };
      return type !== 'object' || !properties || !Array.isArray(required);
    });
    if (wrong.length > 0)
      exchange.status(400, { message: `Invalid schema for function '${wrong[0]?.function.name}': object schema missing properties` });
    else return say('Well.')(exchange);
    return undefined;
  };
  model.script(strict);
  t.match((await converse(administrator(platform), 'Hi')).reply, { status: 'completed', content: 'Well.' });
  t.equal(model.exchanges.at(-1)?.body.tools?.filter(({ function: { name } }) => name.startsWith('own__')).length, 4);
});
