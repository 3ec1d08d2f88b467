import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { until } from '../../../helpers/eventually.js';
import { callTools, type ModelServer, say } from '../../../helpers/model-server.js';
import { callerOf, startPlatform, type TestPlatform, temporaryFolder } from '../../../helpers/platform.js';
import { freePort } from '../../../helpers/ports.js';
import { checkOf } from '../../../kernel/platform/checks/world.js';
import { administrator, converse, withModel } from '../../chat/world.js';

const everything = join(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'), '../dist/index.js');
const byHand = fileURLToPath(new URL('../../../fixtures/mcp-server.js', import.meta.url));

async function start(t: Test, servers: readonly object[]): Promise<{ platform: TestPlatform; model: ModelServer }> {
  const { model, options } = await withModel(t);
  const platform = await startPlatform(t, { settings: { ...options.settings, 'agents.mcp_servers': servers } });
  return { platform, model };
}

/** The same conversation with the official test server, however it is reached. */
async function usesEverything(t: Test, server: object): Promise<void> {
  const { platform, model } = await start(t, [{ name: 'every', read_only: ['echo', 'get-sum'], ...server }]);
  const calls = [
    { name: 'every__echo', arguments: { message: 'hello é' } },
    { name: 'every__get-sum', arguments: { a: 20, b: 22 } },
    { name: 'every__echo', arguments: { message: 7 } },
  ];
  model.script(callTools(calls), say('Done.'));
  const { reply } = await converse(administrator(platform), 'Use them');
  t.match(reply, { status: 'completed', content: /Done\.$/ });
  t.match(reply.tool_calls, [
    { name: 'every/echo', input: { message: 'hello é' }, output: 'Echo: hello é', error: null },
    { name: 'every/get-sum', output: /42/, error: null },
    { name: 'every/echo', error: /./ },
  ]);
  const { tools, messages } = model.exchanges.at(-1)?.body ?? {};
  t.match(
    tools?.find(({ function: each }) => each.name === 'every__echo'),
    { function: { parameters: { type: 'object' } } },
  );
  t.match(messages?.filter(({ role }) => role === 'tool')[0], { content: 'Echo: hello é' });
}

t.test("the official test server works as an AI employee's tool server over stdio", async (t) => {
  await usesEverything(t, { command: process.execPath, args: [everything, 'stdio'] });
});

t.test("the official test server works as an AI employee's tool server over HTTP", async (t) => {
  const port = await freePort();
  const child = spawn(process.execPath, [everything, 'streamableHttp'], { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' });
  t.teardown(() => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}/mcp`;
  const answers = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  await until(answers, Boolean);
  await usesEverything(t, { url });
});

t.test('a tool that is not listed as read-only asks, whatever its server claims', async (t) => {
  const notes = join(await temporaryFolder(t), 'notes');
  const { platform, model } = await start(t, [
    { name: 'own', command: process.execPath, args: [byHand, 'good', notes], read_only: ['secret'] },
  ]);
  model.script(callTools([{ name: 'own__secret' }, { name: 'own__echo', arguments: { text: 'hi' } }]), say('Well.'));
  const client = administrator(platform);
  const sent = await client.chat.send({ content: 'Use them' });
  const task = () => client.tasks.get({ task_id: sent.task_id as string });
  await until(task, ({ status }) => status === 'waiting_approval');
  const noted = () => readFileSync(notes, 'utf8').split('\n');
  await until(noted, (lines) => lines.includes('tools/call'));
  t.equal(noted().filter((line) => line === 'tools/call').length, 1, 'only the read-only tool has run');
  await client.chat.abort({ message_id: sent.message_id });
});

t.test("a server's process ends with the version of the extension that started it", async (t) => {
  const notes = join(await temporaryFolder(t), 'notes');
  const { platform, model } = await start(t, [{ name: 'own', command: process.execPath, args: [byHand, 'family', notes] }]);
  const pids = () => [...readFileSync(notes, 'utf8').matchAll(/^(?:pid|child) (\d+)$/gm)].map(([, pid]) => Number(pid));
  const alive = () => pids().filter(isAlive).length;
  model.script(say('Hello.'));
  await converse(administrator(platform), 'Hi');
  t.equal(alive(), 2);
  await platform.kernel.invoke('plugins.reload', { name: 'agents' }, callerOf());
  await until(alive, (left) => left === 0);
  await converse(administrator(platform), 'Hi again');
  t.equal(alive(), 2);
  await platform.kernel.close();
  await until(alive, (left) => left === 0);
});

t.test('an unavailable or hanging server costs an AI employee its tools, not its answer', async (t) => {
  const { platform, model } = await start(t, [{ name: 'gone', command: '/no/such/program' }]);
  model.script(say('Hello all the same.'));
  t.match((await converse(administrator(platform), 'Hi')).reply, { status: 'completed', content: 'Hello all the same.' });
  t.match(model.exchanges.at(-1)?.body.messages[0]?.content, /Unavailable at the moment: the tools of the MCP server 'gone'/);
});

function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

t.test('administrators see the settings of a server without possible secrets', async (t) => {
  const secret = { env: { KEY: 'hush-hush' }, args: ['--key', 'hush-hush'] };
  const { platform } = await start(t, [
    { name: 'own', command: '/bin/true', ...secret },
    { name: 'far', url: 'https://far.example/mcp', headers: { 'x-anything': 'hush-hush' } },
  ]);
  const { body } = await platform.kernel.invoke('plugins.get', { name: 'agents' }, callerOf());
  t.match(body, { config: { mcp_servers: [{ name: 'own' }, { name: 'far', url: 'https://far.example/mcp' }] } });
  t.notMatch(JSON.stringify(body), /hush-hush/);
  const { body: found } = await platform.kernel.invoke('checks.list', {}, callerOf());
  t.match(JSON.stringify(found), /MCP servers: own \(.+\), far \(.+\)/);
  t.notMatch(JSON.stringify(found), /hush-hush/);
});

t.test('doctor reports an unavailable server before its tools are used', async (t) => {
  const { platform } = await start(t, [
    { name: 'good', command: process.execPath, args: [byHand, 'plain'] },
    { name: 'gone', command: '/no/such/program' },
  ]);
  const found = await checkOf(platform, 'mcp_servers');
  t.match(found, { ok: false, message: /^MCP servers: good \(\d+ tools\), gone \(.*ENOENT.*\)$/, fix: /agents\.mcp_servers/ });
  const whole = await start(t, [{ name: 'good', command: process.execPath, args: [byHand, 'plain'] }]);
  t.match(await checkOf(whole.platform, 'mcp_servers'), { ok: true, message: /^MCP servers: good \(\d+ tools\)$/ });
});
