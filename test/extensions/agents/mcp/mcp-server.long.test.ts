import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { McpServer } from '../../../../extensions/agents/mcp/mcp-server.js';
import type { ProgramSettings, ServerSettings } from '../../../../extensions/agents/mcp/settings.js';
import type { Tool } from '../../../../kernel/contract/index.js';
import { createFetch } from '../../../../kernel/platform/net/guarded-fetch.js';
import { until } from '../../../helpers/eventually.js';
import { callerOf, temporaryFolder } from '../../../helpers/platform.js';
import { freePort } from '../../../helpers/ports.js';

const byHand = fileURLToPath(new URL('../../../fixtures/mcp-server.js', import.meta.url));
const everything = join(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'), '../dist/index.js');

interface World {
  server: McpServer;
  lines: string[];
  clock: { now: number };
  tool: (name: string) => Promise<Tool>;
}

function open(t: Test, settings: Partial<ServerSettings>, allow: string[] = []): World {
  const lines: string[] = [];
  const say = (message: string) => void lines.push(message);
  const clock = { now: 1_000_000 };
  const guarded = createFetch({ allow: [], own: () => [] });
  const server = new McpServer({
    settings: { name: 'own', tools: 'all', read_only: [], dangerous: [], ...settings } as ServerSettings,
    log: { debug: say, info: say, warn: say, error: say },
    clock: { now: () => clock.now, iso: () => '' },
    fetch: guarded.web(allow),
  });
  t.teardown(async () => {
    await server.dispose();
    await guarded.close();
  });
  const tool = async (name: string) => {
    const found = (await server.tools()).find((each) => each.name === name);
    if (!found) throw new Error(`no tool ${name}`);
    return found;
  };
  return { server, lines, clock, tool };
}

function program(how: string, notes?: string): Partial<ProgramSettings> {
  return { command: process.execPath, args: [byHand, how, ...(notes ? [notes] : [])], env: { OWN: 'yes' } };
}

function call(tool: Tool, input: object, signal = AbortSignal.timeout(20_000)) {
  return tool.call(input, { asker: callerOf(), node_id: null, signal, output: () => undefined });
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

function noted(file: string, what: string): string[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(what))
    .map((line) => line.slice(what.length + 1));
}

t.test('offers allowed tools of a program, with the flags of the configuration', async (t) => {
  const notes = join(await temporaryFolder(t), 'notes');
  process.env.PLATFORM_TEST_SECRET = 'hunter2';
  const { server, tool } = open(t, { ...program('good', notes), tools: ['echo', 'none'], read_only: [] });
  t.same(noted(notes, 'pid'), [], 'the program is not started before its first use');
  t.match(await server.tools(), [
    { name: 'own__echo', title: 'own/echo', description: 'Does echo', effect: 'write', input: { type: 'object' } },
  ]);
  t.equal((await server.tools()).length, 1);
  t.same(await call(await tool('own__echo'), { text: 'hi é' }), { output: 'echo: hi é' });
  const environment = JSON.parse(noted(notes, 'env')[0] ?? '') as Record<string, string>;
  t.match(environment, { OWN: 'yes', PATH: process.env.PATH });
  t.notMatch(JSON.stringify(environment), /hunter2|PLATFORM_/);
  t.same(noted(notes, 'tools/list').length, 1, 'the list of tools is cached');
  const [pid] = noted(notes, 'pid').map(Number);
  await server.dispose();
  t.notOk(alive(pid as number));
  await t.rejects(async () => call(await tool('own__echo'), {}).then(({ error }) => Promise.reject(new Error(error))), /was stopped/);
});

t.test('tools listed as read-only are read-only', async (t) => {
  const { server } = open(t, { ...program('greets'), read_only: ['secret'] });
  t.match(await server.tools(), [
    { title: 'own/echo', effect: 'write', audience: 'members' },
    { title: 'own/secret', effect: 'read', audience: 'members' },
  ]);
});

t.test('a server may send a byte order mark, CRLF line ends and batches', async (t) => {
  for (const how of ['marks', 'batches']) {
    const { tool } = open(t, program(how));
    t.same(await call(await tool('own__echo'), { text: 'hi' }), { output: 'echo: hi' }, how);
  }
});

t.test('tools listed as dangerous are dangerous, even if read-only', async (t) => {
  const { server } = open(t, { ...program('greets'), read_only: ['secret', 'echo'], dangerous: ['secret'] });
  t.match(await server.tools(), [{ effect: 'read' }, { effect: 'dangerous' }]);
});

t.test('no child process of a server outlives it', async (t) => {
  for (const how of ['stubborn', 'family']) {
    const notes = join(await temporaryFolder(t), 'notes');
    const { server } = open(t, program(how, notes));
    await server.tools();
    const pids = [...noted(notes, 'pid'), ...noted(notes, 'child')].map(Number);
    t.equal(pids.filter(alive).length, how === 'family' ? 2 : 1);
    await server.dispose();
    await until(
      () => pids.filter(alive),
      (left) => left.length === 0,
    );
  }
});

t.test('does not kill a program that has ended, because its id may be reused', async (t) => {
  const { server, tool } = open(t, program('crashes'));
  await call(await tool('own__echo'), {});
  const killed = t.capture(process, 'kill', process.kill.bind(process));
  await server.dispose();
  t.same(
    killed().map(({ args }) => args),
    [],
  );
});

t.test('a server that is stopped during its start leaves no process', async (t) => {
  const notes = join(await temporaryFolder(t), 'notes');
  const { server } = open(t, program('silent', notes));
  const tools = server.tools();
  tools.catch(() => undefined);
  await until(
    () => noted(notes, 'initialize'),
    (found) => found.length === 1,
  );
  await server.dispose();
  await t.rejects(tools);
  t.same(noted(notes, 'pid').map(Number).filter(alive), []);
});

t.test('a slow start delays only the first caller', async (t) => {
  const { server, clock } = open(t, program('silent'));
  const first = server.tools();
  first.catch(() => undefined);
  clock.now += 4_000;
  const second = server.tools();
  second.catch(() => undefined);
  clock.now += 2_000;
  await t.rejects(server.tools(), { message: 'it is still starting' });
  await server.dispose();
  await t.rejects(first);
  await t.rejects(second);
});

t.test('a crash fails only its call, and the server restarts with back-off', async (t) => {
  const { server, tool, clock, lines } = open(t, program('crashes'));
  const echo = await tool('own__echo');
  t.match(await call(echo, {}), { output: '', error: /the MCP server 'own': .*closed/i });
  t.equal((await call(echo, {})).error, "the MCP server 'own': it failed; next attempt in 1 s", 'the server is named once');
  clock.now += 1_001;
  t.equal((await server.tools()).length, 2);
  const broken = open(t, program('exits'));
  await t.rejects(broken.server.tools());
  for (const seconds of [1, 2, 4]) {
    await t.rejects(broken.server.tools(), { message: `it failed; next attempt in ${seconds} s` });
    broken.clock.now += seconds * 1000 + 1;
    await t.rejects(broken.server.tools(), /closed/i);
  }
  t.ok(lines.some((line) => /MCP server 'own' is unavailable: it ended/.test(line)));
  const missing = open(t, { command: '/no/such/program', args: [], env: {} });
  await t.rejects(missing.server.tools(), /ENOENT/);
});

t.test('a call to a server that never answers ends at its time limit, and the server stays usable', async (t) => {
  const notes = join(await temporaryFolder(t), 'notes');
  const { tool } = open(t, program('never answers', notes));
  const echo = await tool('own__echo');
  await t.rejects(call(echo, {}, AbortSignal.timeout(100)), { name: 'TimeoutError' });
  await until(
    () => noted(notes, 'notifications/cancelled'),
    (found) => found.length === 1,
  );
  t.equal((await tool('own__echo')).name, 'own__echo');
});

t.test('limits the data that a server sends', async (t) => {
  const long = open(t, program('long answer'));
  const { output } = await call(await long.tool('own__echo'), {});
  t.equal(output.length, 256 * 1024);
  const line = open(t, program('long line'));
  t.match((await call(await line.tool('own__echo'), {})).error, /closed/i);
  t.ok(line.lines.some((said) => /a message of more than 4194304 bytes/.test(said)));
  const notes = join(await temporaryFolder(t), 'notes');
  const flood = open(t, program('floods', notes));
  await flood.server.tools();
  await until(
    () => noted(notes, 'pid').map(Number).filter(alive),
    (left) => left.length === 0,
  );
});

t.test('concurrent calls do not block each other', async (t) => {
  const { tool, lines } = open(t, program('large answer'));
  const echo = await tool('own__echo');
  const results = await Promise.all(Array.from({ length: 6 }, () => call(echo, {})));
  t.same(
    results.map(({ error, output }) => error ?? output.length),
    results.map(() => 256 * 1024),
  );
  t.same(lines, []);
});

t.test('odd names, schemas and contents are handled', async (t) => {
  const odd = open(t, program('odd names'));
  const names = (await odd.server.tools()).map(({ name }) => name);
  t.same(names, ['own__a_b', 'own__a_b_648fa9b3', `own__${'_'.repeat(5)}x`, `own__${'x'.repeat(59)}`, 'own__']);
  for (const { description } of await odd.server.tools()) t.equal(description.length, 2_000);
  const big = open(t, program('big schema'));
  t.same(
    (await big.server.tools()).map(({ name }) => name),
    ['own__echo'],
  );
  const content = open(t, program('odd content'));
  const { output } = await call(await content.tool('own__echo'), {});
  t.equal(output, '[image: image/png, 3 bytes]\n[a file: file:///x]\nits text');
  const regex = open(t, program('regex'));
  t.match((await call(await regex.tool('own__echo'), {})).output, /"x":"a{40}!"/);
});

t.test('no tool name can be mistaken for another tool or an operation during approval', async (t) => {
  const { server } = open(t, { ...program('posing'), name: 'members' });
  t.same(
    (await server.tools()).map(({ title }) => title),
    ['members/list', 'members/a_b', 'members/safe_c', 'members/_d'],
  );
});

t.test('a changing tool list is read again after a failure', async (t) => {
  const { server, tool } = open(t, program('changes'));
  t.match(await call(await tool('own__echo'), {}), { error: 'There is no such tool' });
  t.same(
    (await server.tools()).map(({ title }) => title),
    ['own/other'],
  );
});

t.test('the official test server works over stdio', async (t) => {
  const { server, tool } = open(t, { command: process.execPath, args: [everything, 'stdio'], env: {} });
  t.ok((await server.tools()).length > 5);
  t.match(await call(await tool('own__echo'), { message: 'hello' }), { output: 'Echo: hello' });
  t.match(await call(await tool('own__get-sum'), { a: 2, b: 3 }), { output: /5/ });
  const shown: string[] = [];
  const long = await tool('own__trigger-long-running-operation');
  const done = await long.call(
    { duration: 0.2, steps: 2 },
    { asker: callerOf(), node_id: null, signal: AbortSignal.timeout(20_000), output: (delta) => void shown.push(delta) },
  );
  t.match(done.output, /completed/i);
  t.match(await call(await tool('own__echo'), {}), { output: '', error: /./ });
});

t.test('the official test server works over HTTP', async (t) => {
  const port = await freePort();
  const child = spawn(process.execPath, [everything, 'streamableHttp'], { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' });
  t.teardown(() => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}/mcp`;
  await until(
    () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    Boolean,
  );
  const refused = open(t, { url, headers: {} });
  await t.rejects(refused.server.tools(), "the guard does not allow the server's address");
  const { tool } = open(t, { url, headers: { 'x-key': 'k' } }, [`127.0.0.1:${port}`]);
  t.match(await call(await tool('own__echo'), { message: 'hello' }), { output: 'Echo: hello' });
});
