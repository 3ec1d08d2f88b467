import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, jsonSchema, streamText, type ToolSet } from 'ai';
import { OpenAI } from 'openai';
import t, { type Test } from 'tap';
import { administrator, someone, withModel } from '../extensions/chat/world.js';
import { until } from '../helpers/eventually.js';
import { callTools, type Exchange, type ModelServer, say } from '../helpers/model-server.js';
import { startPlatform } from '../helpers/platform.js';

const parameters = { type: 'object' as const, properties: { at: { type: 'string' as const } }, required: ['at'] };
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
const image = `data:image/png;base64,${dot}`;
const lookUp = callTools([{ name: 'look', arguments: { at: 'sky' }, id: 'call_a' }]);

interface World {
  model: ModelServer;
  baseURL: string;
  apiKey: string;
  employee: string;
}

async function start(t: Test): Promise<World> {
  const { model, options } = await withModel(t);
  const platform = await startPlatform(t, options);
  const ada = await someone(t, platform);
  const { token } = await ada.http.tokens.create({ name: 'client', scopes: ['read', 'chat'] });
  const employee = (await administrator(platform).members.create_virtual({ name: 'Vic' })).username;
  return { model, baseURL: `${platform.url}/api/v1`, apiKey: token, employee };
}

const lastMessages = ({ exchanges }: ModelServer) => exchanges.at(-1)?.body.messages ?? [];

async function collect<Piece>(stream: AsyncIterable<Piece>): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

/** Leaves while the model writes; the model's socket goes with the client. */
async function leaves(model: ModelServer, ask: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
  let asked: Exchange | undefined;
  model.script((exchange) => {
    asked = exchange;
    exchange.text('Once');
  });
  const leaving = new AbortController();
  const work = ask(leaving.signal);
  work.catch(() => undefined);
  await until(() => asked, Boolean);
  leaving.abort();
  await work.catch(() => undefined);
  await asked?.closed;
}

t.test('popular clients of OpenAI’s protocol work', async (t) => {
  const { model, baseURL, apiKey, employee } = await start(t);

  await t.test('openai', async (t) => {
    const client = new OpenAI({ baseURL, apiKey, maxRetries: 0, logLevel: 'off' });
    t.ok((await client.models.list()).data.some(({ id }) => id === employee));
    await t.rejects(client.embeddings.create({ model: employee, input: 'x' }), { status: 404, message: /Unknown path/ });
    await t.rejects(client.responses.create({ model: employee, input: 'x' }), {
      status: 404,
      code: 'not_found',
      type: 'invalid_request_error',
    });
    model.script(say('Hel', 'lo.'));
    const stream = client.chat.completions.stream({ model: employee, messages: [{ role: 'user', content: 'Hi' }] });
    t.equal(await stream.finalContent(), 'Hello.');
    await leaves(model, (signal) =>
      client.chat.completions.create({ model: employee, messages: [{ role: 'user', content: 'Hi' }] }, { signal }),
    );
  });

  await t.test('Vercel AI SDK', async (t) => {
    const provider = createOpenAICompatible({ name: 'platform', baseURL, apiKey, includeUsage: true });
    const asked = { model: provider(employee), maxRetries: 0 };
    model.script(say('Hel', 'lo.'));
    t.match(await generateText({ ...asked, prompt: 'Hi', system: 'Be brief.' }), { text: 'Hello.', finishReason: 'stop' });
    const streamed = streamText({ ...asked, prompt: 'Hi' });
    t.equal((await collect(streamed.textStream)).join(''), 'Hello.');
    t.ok(((await streamed.usage).totalTokens ?? 0) > 0);
    model.script(lookUp);
    const tools: ToolSet = { look: { description: 'Looks', inputSchema: jsonSchema(parameters) } };
    t.match((await generateText({ ...asked, prompt: 'Look', tools })).toolCalls, [{ toolName: 'look', input: { at: 'sky' } }]);
    const called = streamText({ ...asked, prompt: 'Look', tools });
    t.match(await called.toolCalls, [{ toolName: 'look', input: { at: 'sky' } }]);
    model.script(say('A dot.'));
    const content = [
      { type: 'text' as const, text: 'See' },
      { type: 'image' as const, image },
    ];
    await generateText({ ...asked, messages: [{ role: 'user', content }] });
    t.match(lastMessages(model).at(-1)?.content, [{ type: 'text' }, { type: 'image_url', image_url: { url: image } }]);
    await t.rejects(generateText({ ...asked, model: provider('nobody'), prompt: 'Hi' }), {
      statusCode: 404,
      message: /'nobody' does not exist/,
    });
    await leaves(model, (abortSignal) => generateText({ ...asked, prompt: 'Hi', abortSignal }));
  });

  await t.test('LangChain.js', async (t) => {
    const chat = new ChatOpenAI({ model: employee, apiKey, maxRetries: 0, configuration: { baseURL, logLevel: 'off' } });
    model.script(say('Hel', 'lo.'));
    t.equal((await chat.invoke('Hi')).content, 'Hello.');
    const pieces = await collect(await chat.stream('Hi'));
    t.equal(pieces.map(({ content }) => content).join(''), 'Hello.');
    model.script(lookUp);
    const bound = chat.bindTools([{ type: 'function', function: { name: 'look', description: 'Looks', parameters } }]);
    t.match((await bound.invoke('Look')).tool_calls, [{ name: 'look', args: { at: 'sky' } }]);
    model.script(say('A dot.'));
    await chat.invoke([
      new HumanMessage({
        content: [
          { type: 'text', text: 'See' },
          { type: 'image_url', image_url: { url: image } },
        ],
      }),
    ]);
    t.match(lastMessages(model).at(-1)?.content, [{ type: 'text' }, { type: 'image_url', image_url: { url: image } }]);
    const nobody = new ChatOpenAI({ model: 'nobody', apiKey, maxRetries: 0, configuration: { baseURL, logLevel: 'off' } });
    await t.rejects(nobody.invoke('Hi'), { status: 404, message: /'nobody' does not exist/ });
    await leaves(model, (signal) => chat.invoke('Hi', { signal }));
  });
});
