import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import t, { type Test } from 'tap';
import { until } from '../../helpers/eventually.js';
import { callTools, type Exchange, say } from '../../helpers/model-server.js';
import { adminPassword, fixture, ownExtension, startPlatform, type TestPlatform } from '../../helpers/platform.js';
import { employee, people, roomOf } from '../chat/room-members.js';
import { administrator, collect, login, onEachPlatform, type Someone, type World, withModel } from '../chat/world.js';
import { clientOf, errorOf, user } from './openai/world.js';

async function mcp(t: Test, { url }: TestPlatform, token: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/api/mcp`), { requestInit }) as Transport);
  t.teardown(() => client.close());
  return client;
}

/** Calls each tool that reads, or with `writes` also each that names something of the room. Returns the answers by tool. */
async function answersOf(client: Client, named: Record<string, unknown>, { writes }: { writes: boolean }): Promise<Map<string, string>> {
  const { tools } = await client.listTools();
  const answers = new Map<string, string>();
  for (const { name, inputSchema, annotations } of tools) {
    const takes = new Set(Object.keys(inputSchema.properties ?? {}));
    const given = Object.fromEntries(Object.entries(named).filter(([key]) => takes.has(key)));
    if (!annotations?.readOnlyHint && (!writes || !takes.has('session_id'))) continue;
    answers.set(name, JSON.stringify(await client.callTool({ name, arguments: given })));
  }
  return answers;
}

/** Returns the tools that have shown something of the room. */
function showing(answers: ReadonlyMap<string, string>): string[] {
  return [...answers].filter(([, text]) => /quince/i.test(text)).map(([name]) => name);
}

/** A room with an answer of an AI employee, of which ben is a member. */
async function roomWithAnswer(t: Test, { platform, model }: World) {
  const [ada, ben] = (await people(t, platform, 2)) as [Someone, Someone];
  const vic = await employee(platform, `Vic ${ada.name}`);
  const { id: session_id } = await roomOf(ada, [ben, vic]);
  model.script(say('Quince jelly'));
  const { message_id, task_id } = await ada.http.chat.send({ session_id, content: `@${vic.username} quince?` });
  await collect(ada.http.messages.stream({ message_id }));
  return { ada, ben, vic, session_id, message_id, task_id };
}

t.test('a member who is no longer in a room gets nothing more of it by any tool of MCP', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { ada, ben, session_id, message_id, task_id } = await roomWithAnswer(t, world);
    const client = await mcp(t, world.platform, ben.token);
    const named = { session_id, message_id, thread_id: message_id, task_id, q: 'quince', content: 'Hello?' };
    const shown = ['sessions_list', 'sessions_get', 'messages_list', 'messages_search', 'messages_get', 'tasks_get'];
    t.same(showing(await answersOf(client, named, { writes: false })), shown);
    await ada.http.sessions.remove_member({ session_id, member_id: ben.id });
    const answers = await answersOf(client, named, { writes: true });
    t.same(showing(answers), []);
    t.match(answers.get('messages_list'), /message_not_found/);
    t.match(answers.get('sessions_members'), /session_not_found/);
  });
});

t.test('an answer for an OpenAI client reads nothing more of a room that its caller has left', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { ada, ben, vic, session_id } = await roomWithAnswer(t, world);
    const { platform, model } = world;
    const look = { name: 'messages_list', arguments: { session_id } };
    const asked: Exchange[] = [];
    model.script(callTools([look], 'Well. '), (exchange) => void asked.push(exchange));
    const messages = [user('Look it up')];
    const stream = await clientOf(platform, ben.token).chat.completions.create({ model: vic.username, messages, stream: true });
    const whole = textOf(stream);
    await until(
      () => asked.length,
      (length) => length === 1,
    );
    t.match(asked[0]?.body.messages.at(-1)?.content, /Quince jelly/);
    await ben.http.sessions.remove_member({ session_id, member_id: ben.id });
    await ada.http.chat.send({ session_id, content: 'Secret sugar' });
    const repeat = (exchange: Exchange) => say(`It says: ${String(exchange.body.messages.at(-1)?.content)}`)(exchange);
    model.script(repeat);
    asked[0]?.toolCall(0, look);
    asked[0]?.finish('tool_calls');
    t.match(await whole, /^Well. It says: .*session_not_found/);
    t.notMatch(await whole, /quince|secret/i);
  });
});

/** Changes after which a member's tokens end. */
const endings = {
  'is deactivated': { active: false },
  'is demoted': { role: 'member' },
  'is deleted': undefined,
} as const;

for (const [way, change] of Object.entries(endings)) {
  t.test(`a member who ${way} gets no further byte of an OpenAI client's stream or a call of MCP`, async (t) => {
    const { model, options } = await withModel(t);
    const extensions = [...['members', 'chat', 'agents'].map(ownExtension), fixture('stepper')];
    const platform = await startPlatform(t, { ...options, extensions });
    const admin = administrator(platform);
    const [ben] = (await people(t, platform, 1)) as [Someone];
    await admin.members.update({ id: ben.id, role: 'admin' });
    const { tokens } = await login(t, platform, ben.name, adminPassword);
    const { token } = await tokens.create({ name: 'programs', scopes: ['read', 'chat'] });
    const vic = await employee(platform, 'Vic');
    const asked: Exchange[] = [];
    model.script((exchange) => void asked.push(exchange));
    const completion = { model: vic.username, messages: [user('Go on')] };
    const streamed = await rawAnswer(platform, '/api/v1/chat/completions', { token, body: { ...completion, stream: true } });
    const whole = await rawAnswer(platform, '/api/v1/chat/completions', { token, body: completion });
    const _meta = { progressToken: 1 };
    const params = { name: 'stepper_count', arguments: { to: 11 }, _meta };
    const call = await rawAnswer(platform, '/api/mcp', { token, body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } });
    await until(
      () => asked.length,
      (length) => length === 2,
    );
    for (const exchange of asked) exchange.text('Once ');
    await until(
      () => streamed.text.includes('Once') && call.text.includes('progress'),
      (begun) => begun,
    );
    if (change) await admin.members.update({ id: ben.id, ...change });
    else await admin.members.delete({ id: ben.id });
    const before = [streamed, whole, call].map(({ text }) => text);
    for (const exchange of asked) exchange.text('upon a time', 'end');
    await Promise.all([streamed, whole, call].map(({ end }) => end));
    t.notMatch([streamed, whole, call].map(({ text }) => text).join(''), /upon a time/);
    t.same([streamed.text, call.text], [before[0], before[2]]);
    await Promise.all(asked.map(({ closed }) => closed));
    t.match(await errorOf(Promise.resolve(clientOf(platform, token).models.list())), { status: 401 });
    await t.rejects(mcp(t, platform, token), /invalid_token/);
  });
}

interface Reading {
  text: string;
  /** Settles when the connection has ended, however. */
  end: Promise<void>;
}

/** Posts a request and reads on in the background. */
async function rawAnswer({ url }: TestPlatform, path: string, { token, body }: { token: string; body: object }): Promise<Reading> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const reading: Reading = { text: '', end: Promise.resolve() };
  const read = async () => {
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    for await (const piece of answer.body ?? []) reading.text += Buffer.from(piece).toString();
  };
  reading.end = read().catch(() => undefined);
  return reading;
}

async function textOf(stream: AsyncIterable<{ choices: { delta: { content?: string | null } }[] }>): Promise<string> {
  let text = '';
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
  return text;
}
