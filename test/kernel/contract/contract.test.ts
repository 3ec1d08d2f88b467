import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import type { Caller, Context, InvokeOptions, PluginContext, StreamEvent } from '../../../kernel/contract/index.js';
import { Checks } from '../../../kernel/platform/checks/checks.js';
import { becomes } from '../../helpers/eventually.js';
import { callerOf, fixture, startPlatform, type TestPlatform } from '../../helpers/platform.js';
import { type Ending, failureOf, installSandboxed, pluginFolder, startSandboxed } from '../platform/sandbox/world.js';

const folders = [fixture('hello'), fixture('probe')];

const settings = { fetch_allow: ['127.0.0.1'] };

// The same two extensions, once in the kernel's process and once in processes of their own.
const inside = await startPlatform(t, { extensions: folders, settings });
const across = await startSandboxed(t, folders, { settings });

const ann = callerOf({ member_id: 7, username: 'ann', role: 'member', address: '192.0.2.7', token_id: 'secret-id', expires_at: 9e12 });
const robot = callerOf({ member_id: 12, username: 'robot', role: 'member', scopes: ['read'], door: 'tool' });
const nobody = callerOf({ member_id: 0, username: '', role: 'member', scopes: [] });

interface Step {
  operation: string;
  input?: object;
  caller?: Caller;
  options?: InvokeOptions;
}

/** How it ended, through JSON as through every door. */
async function ending({ kernel }: TestPlatform, { operation, input = {}, caller = ann, options = {} }: Step): Promise<Ending> {
  try {
    const { status, body } = await kernel.invoke(operation, input, caller, { request_id: 'r-1', agent: 'test/1', ...options });
    return isStream(body) ? await read(body, status) : (JSON.parse(JSON.stringify({ status, body })) as Ending);
  } catch (thrown) {
    return failureOf(thrown);
  }
}

async function read(stream: AsyncIterable<StreamEvent>, status: number): Promise<Ending> {
  const events: StreamEvent[] = [];
  try {
    for await (const event of stream) events.push(JSON.parse(JSON.stringify(event)) as StreamEvent);
    return { status, events };
  } catch (thrown) {
    return { status, events, failed: failureOf(thrown) };
  }
}

function isStream(body: unknown): body is AsyncIterable<StreamEvent> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

const give = ['nothing', 'null', 'false', 'zero', 'empty text', 'empty list', 'date', 'undefined', 'not a number', 'own toJSON', 'map'];
const unusual = ['every character', 'prototype keys', 'big'];
const faults = ['refused', 'busy', 'core', 'crash', 'text', 'nothing'];

const steps: Step[] = [
  { operation: 'hello.greet', input: { name: 'Ada é 漢字' } },
  { operation: 'hello.greet', input: { name: '' } },
  { operation: 'hello.greet', input: { name: 7, more: 'is dropped' } },
  ...[ann, robot, nobody, callerOf()].map((caller) => ({ operation: 'hello.whoami', caller })),
  { operation: 'hello.slow', input: { ms: 5 } },
  { operation: 'hello.slow', input: { ms: -1 } },
  ...[0, 1, 1000].map((to) => ({ operation: 'hello.count', input: { to } })),
  { operation: 'hello.count', input: { to: 'many' } },
  { operation: 'hello.refuse', input: { how: 'failure' } },
  { operation: 'hello.refuse', input: { how: 'crash' } },
  { operation: 'hello.refuse', input: { how: 'else' } },
  { operation: 'hello.remember', input: { key: 'k1', value: { deep: [1, { list: [null] }] } } },
  { operation: 'hello.remember', input: { key: 'k2', value: 'x'.repeat(65_537) } },
  { operation: 'hello.remember', input: { key: 'k3', value: false } },
  { operation: 'hello.recall', input: { key: 'k1' } },
  { operation: 'hello.recall', input: { key: 'unknown' } },
  { operation: 'hello.heard' },
  ...[ann, robot, nobody].map((caller) => ({ operation: 'hello.relay', input: { operation: 'hello.whoami', input: {} }, caller })),
  { operation: 'hello.relay', input: { operation: 'hello.greet', input: { name: 'x'.repeat(41) } } },
  { operation: 'hello.relay', input: { operation: 'hello.refuse', input: { how: 'failure' } } },
  { operation: 'hello.relay', input: { operation: 'hello.refuse', input: { how: 'crash' } } },
  { operation: 'hello.relay', input: { operation: 'no.such', input: {} } },
  { operation: 'hello.relay', input: { operation: 'plugins.disable', input: { name: 'none' } } },
  { operation: 'hello.relay', input: { operation: 'plugins.disable', input: { name: 'none' } }, caller: callerOf() },
  { operation: 'hello.relay', input: { operation: 'plugins.disable', input: { name: 'none' } }, caller: nobody },
  { operation: 'probe.context' },
  ...[ann, robot, nobody].map((caller) => ({ operation: 'probe.call', caller })),
  { operation: 'probe.call', options: { idempotency_key: 'key-1' } },
  { operation: 'probe.call', options: { idempotency_key: 'key-1', agent: '' } },
  ...[null, 1.5, '', [], { a: [{}] }, 'x'.repeat(300_000)].map((value) => ({ operation: 'probe.echo', input: { value } })),
  ...[...give, ...unusual].map((what) => ({ operation: 'probe.give', input: { what } })),
  ...[200, 201, 202].map((status) => ({ operation: 'probe.status', input: { status } })),
  ...faults.map((how) => ({ operation: 'probe.fail', input: { how } })),
  { operation: 'probe.wait', input: { name: 'first' } },
  ...['well', 'long', ...faults].map((how) => ({ operation: 'probe.stream', input: { how } })),
  { operation: 'probe.follow', input: { operation: 'probe.stream', input: { how: 'well', name: 'followed' }, max: 100 } },
  { operation: 'probe.follow', input: { operation: 'probe.stream', input: { how: 'endless', name: 'left' }, max: 4 } },
  { operation: 'probe.follow', input: { operation: 'probe.stream', input: { how: 'refused', name: 'refused' }, max: 100 } },
  { operation: 'probe.storage' },
  { operation: 'probe.file', input: { text: 'in a file' } },
  { operation: 'probe.fetch', input: { url: 'http://10.1.2.3/' } },
  { operation: 'probe.log', input: { text: 'a line' } },
  { operation: 'probe.notes' },
];

t.test('every operation has the same outcome in-process and across a pipe', async (t) => {
  for (const step of steps) {
    const wanted = await ending(inside, step);
    t.same(await ending(across, step), wanted, `${step.operation} ${JSON.stringify(step.input ?? {}).slice(0, 80)}`);
  }
  const tried = new Set(steps.map(({ operation }) => operation));
  const elsewhere = ['hello.tell', 'probe.later', 'probe.upload'];
  const all = Object.keys(inside.kernel.operations()).filter((id) => /^(hello|probe)\./.test(id));
  t.same(
    all.filter((id) => !tried.has(id)),
    elsewhere,
    'every operation is tried here or elsewhere',
  );
});

t.test('only a few kinds of results cross the process boundary as values', async (t) => {
  const value = (what: string) => ending(across, { operation: 'probe.give', input: { what } });
  t.same(await value('nothing'), { status: 200 });
  t.same(await value('null'), { status: 200, body: null });
  t.same(await value('date'), { status: 200, body: { at: '1970-01-01T00:00:00.000Z', list: ['1970-01-02T00:00:00.000Z'] } });
  t.same(await ending(across, { operation: 'probe.fail', input: { how: 'busy' } }), {
    code: 'probe_busy',
    status: 503,
    message: 'Busy: é 漢字',
    details: undefined,
    retry_after: 7,
  });
  t.match(await ending(across, { operation: 'hello.relay', input: { operation: 'hello.whoami', input: {} } }), {
    body: { answer: { member_id: 7, username: 'ann' } },
  });
  t.match(await ending(across, { operation: 'probe.wait', input: { name: 'one' } }), { code: 'operation_timeout', status: 503 });
  await becomes(t, async () => noteOf(across, 'one'), 'one was aborted: operation_timeout');
});

const noteOf = async (platform: TestPlatform, start: string) => {
  const { body } = (await ending(platform, { operation: 'probe.notes' })) as { body: { notes: string[] } };
  return body.notes.find((note) => note.startsWith(start));
};

t.test('an answer that is not JSON crashes on both sides', async (t) => {
  for (const what of ['a cycle', 'a bigint']) {
    const step = { operation: 'probe.give', input: { what } };
    await t.rejects(
      inside.kernel.invoke(step.operation, step.input, ann).then(({ body }) => JSON.stringify(body)),
      TypeError,
    );
    t.match(await ending(across, step), { code: 'internal_error' });
  }
  t.match(await ending(across, { operation: 'hello.greet', input: { name: 'Ada' } }), { status: 200 });
});

t.test('operations are described by the same data', async (t) => {
  const own = ({ kernel }: TestPlatform) => Object.entries(kernel.operations()).filter(([id]) => /^(hello|probe)\./.test(id));
  t.same(own(across), own(inside));
  t.equal(own(across).length > 20, true);
});

t.test('answers over HTTP are equal byte by byte except the request id', async (t) => {
  const post = (path: string, body: unknown) => ({
    path: `/api/x/probe/${path}`,
    init: { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  });
  const requests: { path: string; init?: RequestInit }[] = [
    { path: '/api/x/hello/greet?name=Ada' },
    { path: '/api/x/hello/greet' },
    { path: '/api/x/hello/whoami' },
    { path: '/api/x/hello/count?to=20' },
    { path: '/api/x/hello/none' },
    { path: '/api/x/probe/stream?how=refused' },
    { path: '/api/x/probe/stream?how=crash' },
    post('echo', { value: 'x'.repeat(200_000) }),
    post('status', { status: 202 }),
    ...faults.map((how) => post('fail', { how })),
    ...['date', 'prototype keys', 'big'].map((what) => post('give', { what })),
    { path: '/api/x/probe/upload', init: { method: 'POST', body: form() } },
  ];
  for (const { path, init } of requests) {
    const answer = async ({ url }: TestPlatform) => {
      const response = await fetch(`${url}${path}`, { ...init, ...(path.endsWith('upload') ? { body: form() } : {}) });
      const text = (await response.text()).replace(/"request_id":"[^"]*"/g, '"request_id":""');
      return { status: response.status, type: response.headers.get('content-type'), text };
    };
    t.same(await answer(across), await answer(inside), `${path} ${typeof init?.body === 'string' ? init.body.slice(0, 60) : ''}`);
  }
  const response = await fetch(`${across.url}/api/x/probe/upload`, { method: 'POST', body: form() });
  t.same(await response.json(), { note: 'a note', filename: 'a.txt', text: 'in the file' });
});

function form(): FormData {
  const data = new FormData();
  data.append('note', 'a note');
  data.append('file', new Blob(['in the file']), 'a.txt');
  return data;
}

t.test('events reach listeners on both sides, also those of another extension', async (t) => {
  for (const platform of [inside, across]) {
    for (const text of ['one', 'two']) {
      t.same(await ending(platform, { operation: 'hello.tell', input: { text } }), { status: 200, body: { told: true } });
    }
    await becomes(t, () => ending(platform, { operation: 'hello.heard' }), { status: 200, body: { texts: ['one', 'two'] } });
    await becomes(t, () => noteOf(platform, 'heard two'), 'heard two string true');
  }
});

t.test('outgoing calls return the same answers on both sides', async (t) => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(request.url === '/missing' ? 404 : 200, { 'content-type': 'text/plain' });
      response.end(
        request.url === '/big'
          ? 'é'.repeat(400_000)
          : `${request.method} ${String(request.headers['x-a'])} ${Buffer.concat(chunks).toString()}`,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const inputs = [
    { url: `${url}/` },
    { url: `${url}/post`, options: { method: 'POST', headers: { 'x-a': 'b' }, body: 'a body: é' } },
    { url: `${url}/missing` },
    { url: `${url}/big` },
    { url: `${url}/big`, options: { max_bytes: 1000 } },
    { url: 'ftp://127.0.0.1/' },
    { url: 'no url' },
  ];
  for (const input of inputs) {
    const step = { operation: 'probe.fetch', input };
    t.same(await ending(across, step), await ending(inside, step), JSON.stringify(input));
  }
});

t.test('checks, metrics and log lines are the same', async (t) => {
  const told = async ({ kernel, url, lines }: TestPlatform) => {
    const checks = [...kernel.host.running.values()].flatMap(({ extension, draft }) =>
      draft.checks.map((each) => ({ extension, ...each })),
    );
    const metrics = await (await fetch(`${url}/metrics`)).text();
    await kernel.invoke('probe.log', { text: 'a line of its own' }, ann, { request_id: 'r-9' });
    const line = () => lines.find(({ msg }) => msg === 'a line of its own');
    await becomes(t, () => line() !== undefined, true);
    // A plugin's own fields stand apart: they could be named like the platform's.
    const { level, extension, request_id, n, fields } = line() ?? {};
    return {
      checks: await new Checks({ iso: () => new Date().toISOString() }).run(checks),
      metrics: metrics.match(/platform_(hello|probe)_.*/g)?.map((line) => line.replace(/(probe_notes) .*/, '$1')),
      line: { level, extension, request_id, n: n ?? (fields as { n?: unknown } | undefined)?.n },
    };
  };
  const wanted = await told(inside);
  t.same(await told(across), wanted);
  t.match(wanted, { line: { level: 'warn', extension: 'probe', request_id: 'r-9', n: 1 }, metrics: [/platform_hello_greetings/] });
});

/** A new key of PluginContext doesn't compile until it is here. */
const everyKey: Record<keyof PluginContext, true> = {
  name: true,
  log: true,
  config: true,
  clock: true,
  signal: true,
  storage: true,
  files: true,
  env: true,
  expose: true,
  call: true,
  emit: true,
  listen: true,
  channel: true,
  fetch: true,
  check: true,
  metric: true,
  topic: true,
  frame: true,
  push: true,
};
const keys = Object.keys(everyKey);

t.test('every part of PluginContext exists on both sides', async (t) => {
  for (const platform of [inside, across]) {
    const { body } = (await ending(platform, { operation: 'probe.context' })) as { body: { keys: string[] } };
    t.same(
      keys.filter((key) => !body.keys.includes(key)),
      [],
    );
  }
});

/** PluginContext is a part of Context, or this doesn't compile. */
const narrow = (ctx: Context): PluginContext => ctx;
t.type(narrow, 'function');

t.test('calls that an extension makes on its own run as itself, whoever started it', async (t) => {
  const folder = await pluginFolder(
    t,
    `const seen = []; const ask = () => ctx.call('hello.whoami', {}).then(({ username }) => seen.push(username), (fault) => seen.push(fault.code));
    const timer = setInterval(ask, 10); ctx.signal.addEventListener('abort', () => clearInterval(timer));
    ctx.expose({ 'x.seen': op('seen') }, { 'x.seen': () => [...new Set(seen)] });`,
  );
  await inside.kernel.installer.install(folder);
  await installSandboxed(across, folder);
  for (const platform of [inside, across]) {
    await platform.kernel.invoke('plugins.disable', { name: 'xx' }, callerOf());
    await platform.kernel.invoke('plugins.enable', { name: 'xx' }, callerOf());
    await becomes(t, () => ending(platform, { operation: 'x.seen' }), { status: 200, body: ['xx'] });
  }
});

t.test('leaving a stream and stopping reach the code on both sides', async (t) => {
  for (const platform of [inside, across]) {
    const { body } = await platform.kernel.invoke('probe.stream', { how: 'endless', name: 'left early' }, ann);
    let seen = 0;
    for await (const _event of body as AsyncIterable<StreamEvent>) if (++seen === 3) break;
    t.equal(await noteOf(platform, 'left early ended'), 'left early ended', 'the source ends once the reader has left');
    await platform.kernel.installer.disable('probe');
    const line = () => platform.lines.find(({ msg }) => msg === 'The probe was told to stop');
    await becomes(t, () => (line()?.fields as { reason?: unknown } | undefined)?.reason ?? line()?.reason, 'removed');
    t.match(await ending(platform, { operation: 'probe.notes' }), { code: 'operation_not_found' });
  }
});
