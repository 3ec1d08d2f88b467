import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { Authenticator } from '../../../../kernel/contract/extension.js';
import type { Caller } from '../../../../kernel/contract/operation.js';
import { until } from '../../../helpers/eventually.js';
import { callerOf } from '../../../helpers/platform.js';
import { member } from './deeds.js';
import { startWorld, type TestDoor } from './world.js';

const path = '/api/hello/door';
const said: string[] = [];

const echo: TestDoor = {
  id: 'door.echo',
  path: `${path}/{name}`,
  methods: ['GET', 'POST'],
  summary: 'Gives back what it was asked',
  max_bytes: 1000,
  handle: async (request, { caller, params, agent, request_id }) =>
    Response.json(
      {
        url: request.url,
        method: request.method,
        text: await request.text(),
        type: request.headers.get('content-type'),
        member_id: caller.member_id,
        params,
        agent,
        request_id,
      },
      { status: 202, headers: { 'x-own': 'yes' } },
    ),
};

const failing: TestDoor = {
  id: 'door.failing',
  path: `${path}-failing`,
  methods: ['POST'],
  summary: 'Fails',
  timeout_ms: 100,
  refuse: ({ code, status }) => Response.json({ error: { code } }, { status }),
  handle: async (request) => {
    const how = await request.text();
    if (how === 'late') {
      await new Promise((resolve) => request.signal.addEventListener('abort', resolve));
      said.push('told of the time-out');
    }
    throw new Error('the password is hunter2');
  },
};

async function world(t: Test, doors: readonly TestDoor[], config: object = {}) {
  const made = await startWorld({ config });
  t.teardown(() => made.http.close(1_000));
  await made.serve('hello', ['/api/hello'], {}, doors);
  return made;
}

/** Chunks without an end; tells what became of it. */
function endless(made: { chunks: number; cancelled: unknown }, size = 64 * 1024): TestDoor {
  return {
    id: 'door.endless',
    path: `${path}-endless`,
    methods: ['GET'],
    summary: 'Never ends',
    handle: (request) =>
      new Response(
        new ReadableStream({
          pull(controller) {
            made.chunks += 1;
            controller.enqueue(new Uint8Array(size));
            return sleep(1);
          },
          cancel(reason) {
            made.cancelled = [request.signal.aborted, (reason as { code: string }).code];
          },
        }),
      ),
  };
}

t.test('a door gets the standard request with its caller, and its answer is sent unchanged', async (t) => {
  const { url, active } = await world(t, [echo]);
  const asked = await fetch(`${url}${path}/a%20b?x=1`, {
    method: 'POST',
    body: 'text é',
    headers: { ...member, 'user-agent': 'me/1', 'content-type': 'text/odd' },
  });
  const body = (await asked.json()) as { request_id: string };
  t.match([asked.status, asked.headers.get('x-own'), asked.headers.get('cache-control')], [202, 'yes', 'no-store']);
  t.equal(asked.headers.get('x-content-type-options'), 'nosniff');
  t.equal(asked.headers.get('x-request-id'), body.request_id);
  t.match(body, {
    url: `${url}${path}/a%20b?x=1`,
    method: 'POST',
    text: 'text é',
    type: 'text/odd',
    member_id: 7,
    params: { name: 'a b' },
    agent: 'me/1',
  });
  const head = await fetch(`${url}${path}/x`, { method: 'HEAD', headers: member });
  t.same([head.status, await head.text()], [202, '']);
  t.equal(active(), 0);
});

t.test('unauthorised callers are rejected in the protocol’s or the platform’s error shape', async (t) => {
  const { url, active } = await world(t, [echo, failing]);
  const codes = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code];
  const noToken = await fetch(`${url}${path}/x`);
  t.equal(noToken.headers.get('www-authenticate'), 'Bearer');
  t.same(await codes(noToken), [401, 'unauthenticated']);
  t.same(await codes(await fetch(`${url}${path}/x`, { headers: { authorization: 'Bearer wrong' } })), [401, 'invalid_token']);
  t.same(await codes(await fetch(`${url}${path}/x`, { method: 'PUT', headers: member })), [405, 'method_not_allowed']);
  const big = await fetch(`${url}${path}/x`, { method: 'POST', headers: member, body: 'x'.repeat(1001) });
  t.same(await codes(big), [413, 'payload_too_large']);
  const packed = { ...member, 'content-encoding': 'br' };
  t.same(await codes(await fetch(`${url}${path}/x`, { method: 'POST', headers: packed, body: 'x' })), [415, 'unsupported_media_type']);
  const own = await fetch(`${url}${path}-failing`, { method: 'POST' });
  t.same([own.status, await own.json()], [401, { error: { code: 'unauthenticated' } }]);
  t.equal(active(), 0);
});

t.test('pages of other origins are rejected, including DNS rebinding', async (t) => {
  const { url, port } = await world(t, [echo], { cors_origins: ['https://app.example'] });
  const status = async (headers: Record<string, string>) => (await fetch(`${url}${path}/x`, { headers: { ...member, ...headers } })).status;
  t.equal(await status({ origin: 'https://app.example' }), 202);
  t.equal(await status({ origin: `http://127.0.0.1:${port}` }), 202);
  t.equal(await status({ origin: 'http://evil.example' }), 403);
  t.equal(await status({ origin: 'null' }), 403);
  const rebound = await raw(
    port,
    `GET ${path}/x HTTP/1.1\r\nHost: evil.example:${port}\r\nOrigin: http://evil.example:${port}\r\nAuthorization: Bearer member\r\nConnection: close\r\n\r\n`,
  );
  t.match(rebound, /^HTTP\/1\.1 403 /);
});

t.test('faults and time-outs are reported without their cause', async (t) => {
  const { url, lines, active } = await world(t, [failing]);
  const ask = (body: string) => fetch(`${url}${path}-failing`, { method: 'POST', headers: member, body });
  const fault = await ask('now');
  t.same([fault.status, await fault.json()], [500, { error: { code: 'internal_error' } }]);
  t.match(lines.at(-1), { level: 'error', message: `${path}-failing failed`, fields: { fault: { message: /hunter2/ } } });
  const late = await ask('late');
  t.same([late.status, await late.json()], [503, { error: { code: 'operation_timeout' } }]);
  t.same(said, ['told of the time-out']);
  t.equal(active(), 0);
  t.match(
    await (await fetch(`${url}/metrics`)).text(),
    /platform_http_requests_total\{operation="\/api\/hello\/door-failing",status="503"\} 1\n/,
  );
});

t.test('a reader that does not read applies back-pressure, and one that leaves ends the source', async (t) => {
  const made = { chunks: 0, cancelled: undefined as unknown };
  const { port, active } = await world(t, [endless(made)]);
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.pause();
  socket.write(`GET ${path}-endless HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer member\r\n\r\n`);
  await until(
    () => made.chunks,
    (chunks) => chunks > 3,
  );
  const settled = await until(
    async () => {
      const before = made.chunks;
      await sleep(100);
      return made.chunks - before;
    },
    (more) => more === 0,
  );
  t.equal(settled, 0, 'nothing more is requested from the source');
  t.ok(made.chunks < 400, `${made.chunks} chunks of 64 KiB were produced`);
  t.equal(active(), 1);
  socket.destroy();
  await until(() => made.cancelled, Boolean);
  t.same(made.cancelled, [true, 'not_found']);
  await until(active, (calls) => calls === 0);
});

t.test('a response ends with its token, its member, its extension and the platform', async (t) => {
  for (const [how, code] of [
    ['token', 'invalid_token'],
    ['member', 'invalid_token'],
    ['extension', 'extension_unavailable'],
    ['platform', 'shutting_down'],
  ] as const) {
    const made = { chunks: 0, cancelled: undefined as unknown };
    const { url, http, active } = await world(t, [endless(made, 10)]);
    const answer = await fetch(`${url}${path}-endless`, { headers: { authorization: how === 'token' ? 'Bearer short' : 'Bearer member' } });
    const read = answer.text().then(
      () => 'whole',
      () => 'cut',
    );
    await until(
      () => made.chunks,
      (chunks) => chunks > 1,
    );
    if (how === 'member') http.disconnect({ member_id: 7 });
    if (how === 'extension') http.stopStreams('hello');
    if (how === 'platform') await http.close(500);
    t.equal(await read, 'cut', how);
    await until(() => made.cancelled, Boolean);
    t.same(made.cancelled, [true, code], how);
    await until(active, (calls) => calls === 0);
  }
});

t.test('running requests end normally after a replacement, and new ones get the new version', async (t) => {
  let begun = 0;
  const slow = (version: string): TestDoor => ({
    id: 'door.slow',
    path,
    methods: ['GET'],
    summary: 'Takes a while',
    handle: async () => {
      begun += 1;
      return new Response((await sleep(150)) ?? version);
    },
  });
  const { url, serve } = await world(t, [slow('old')]);
  const old = fetch(`${url}${path}`, { headers: member });
  await until(() => begun, Boolean);
  await serve('hello', ['/api/hello'], {}, [slow('new')]);
  const fresh = fetch(`${url}${path}`, { headers: member });
  t.same([await (await old).text(), await (await fresh).text()], ['old', 'new']);
  await serve('hello', ['/api/hello'], {}, []);
  t.equal((await fetch(`${url}${path}`, { headers: member })).status, 404);
});

t.test('one member cannot use all places for running requests', async (t) => {
  const made = { chunks: 0, cancelled: undefined as unknown };
  const { url } = await world(t, [endless(made, 1), echo]);
  const leave = new AbortController();
  t.teardown(() => leave.abort());
  await Promise.all(Array.from({ length: 100 }, () => fetch(`${url}${path}-endless`, { headers: member, signal: leave.signal })));
  const more = await fetch(`${url}${path}/x`, { headers: member });
  t.same([more.status, more.headers.get('retry-after')], [429, '1']);
  t.equal((await fetch(`${url}${path}/x`, { headers: { authorization: 'Bearer admin' } })).status, 202);
});

t.test('a client that disconnects during authentication leaves nothing behind', async (t) => {
  let know = (_caller: Caller) => {};
  let asked = 0;
  const token = () => {
    asked += 1;
    return new Promise<Caller>((resolve) => {
      know = resolve;
    });
  };
  const slow = { token, ended: async () => [] } as unknown as Authenticator;
  const made = await startWorld({ authenticator: () => slow });
  t.teardown(() => made.http.close(1_000));
  await made.serve('hello', ['/api/hello'], {}, [echo]);
  const socket = connect(made.port, '127.0.0.1');
  socket.write(`POST ${path}/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer member\r\nContent-Length: 900\r\n\r\n`);
  await until(() => asked, Boolean);
  socket.destroy();
  await sleep(100);
  know(callerOf({ member_id: 7 }));
  await sleep(100);
  t.same(made.http.callers(), []);
});

t.test('one member’s bodies cannot use all memory', async (t) => {
  let held_here = 0;
  const hold: TestDoor = {
    id: 'door.hold',
    path: `${path}-hold`,
    methods: ['POST'],
    summary: 'Keeps what it gets',
    max_bytes: 50 * 1024 * 1024,
    handle: (request) => {
      held_here += 1;
      return new Promise((resolve) => request.signal.addEventListener('abort', () => resolve(new Response(null))));
    },
  };
  const { url, active } = await world(t, [hold]);
  const leave = new AbortController();
  const send = (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return fetch(`${url}${hold.path}`, { method: 'POST', headers, body: new Uint8Array(50_000_000), signal: leave.signal });
  };
  const held = [send('member'), send('member')].map((each) => each.catch(() => undefined));
  await until(
    () => held_here,
    (count) => count === 2,
  );
  t.equal((await send('member')).status, 429);
  held.push(send('admin').catch(() => undefined));
  await until(
    () => held_here,
    (count) => count === 3,
  );
  leave.abort();
  await Promise.all(held);
  await until(active, (calls) => calls === 0);
});

t.test('doors are documented, and pages of allowed origins may send their headers', async (t) => {
  const { url } = await world(t, [{ ...echo, scope: 'chat' }], { cors_origins: ['https://app.example'] });
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, Record<string, object>> };
  t.match(document.paths[`${path}/{name}`], {
    get: { summary: 'Gives back what it was asked', parameters: [{ name: 'name', in: 'path' }] },
    post: { tags: ['hello'], description: /the scope `chat`/ },
  });
  const preflight = await fetch(`${url}${path}/x`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://app.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, x-stainless-os, mcp-protocol-version, x-other',
    },
  });
  t.match(preflight.headers.get('access-control-allow-headers'), /, x-stainless-os, mcp-protocol-version$/);
});

function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => chunks.push(chunk)).on('error', reject);
    socket.on('end', () => resolve(Buffer.concat(chunks).toString()));
  });
}
