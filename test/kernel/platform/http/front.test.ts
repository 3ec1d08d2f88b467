import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { isFailure } from '../../../../kernel/contract/failure.js';
import { find, hello, json, member } from './deeds.js';
import { ask, exchange, firstAnswer, open } from './raw.js';
import { startWorld, type World } from './world.js';

async function world(t: Test, config = {}): Promise<World> {
  const made = await startWorld({ config });
  t.teardown(() => made.http.close(1_000));
  await made.serve('hello', ['/api/hello', '/api/greet'], hello);
  return made;
}

const codeOf = (body: string): string => (JSON.parse(body) as { code: string }).code;

t.test('the longest claim by whole segments gets the request', async (t) => {
  const { serve, url } = await world(t);
  await serve('inner', ['/api/hello/things/special'], {
    'inner.get': { ...find, path: '/api/hello/things/special', does: () => ({ from: 'inner' }) },
  });
  const get = async (path: string) => (await fetch(url + path)).json();
  t.same(await get('/api/hello/things/special'), { from: 'inner' });
  t.same(await get('/api/hello/things/speciality'), { name: 'speciality' }, 'a prefix of a segment is not a claim');
  t.same(await get('/api/hello/things/a'), { name: 'a' });
});

t.test('a path reaches the same cell in every spelling', async (t) => {
  const { port } = await world(t);
  const get = async (target: string) => {
    const { status, body } = await ask({ port }, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    return [status, status === 200 ? JSON.parse(body) : codeOf(body)];
  };
  t.same(await get('/api/h%65llo/things/a'), [200, { name: 'a' }]);
  t.same(await get('/api/x/../hello/things/a'), [200, { name: 'a' }]);
  t.same(await get('/api/x/%2e%2e/hello/./things/a'), [200, { name: 'a' }]);
  t.same(await get('http://elsewhere.example/api/hello/things/a?page=2'), [200, { name: 'a', page: 2 }]);
  t.same(await get('/api/hello/things/a%2Fb'), [200, { name: 'a/b' }]);
  t.same(await get('/api/hello/things/%E4%BD%A0'), [200, { name: '你' }]);
  t.same(await get('/api/hello/../members'), [404, 'not_found']);
  t.same(await get('//api/hello/things/a'), [404, 'not_found']);
  t.same(await get('/api/helloworld'), [404, 'not_found']);
  t.same(await get('/API/hello/things/a'), [404, 'not_found']);
  t.same(await get('/api/hello/things/%ff'), [400, 'malformed_request']);
  t.same(await get('/api/hello/things/a%00'), [400, 'malformed_request']);
  t.same(await get('/api/hello/things/a?page=%zz'), [400, 'malformed_request']);
  t.same(await get('*'), [400, 'malformed_request']);
});

t.test('a claim of an inactive extension gives 503 with the cause, and an unclaimed path 404', async (t) => {
  const made = await world(t);
  made.disable('hello', 'an administrator disabled it');
  const unavailable = await fetch(`${made.url}/api/greet/x`);
  t.equal(unavailable.status, 503);
  t.match(await unavailable.json(), { code: 'extension_unavailable', message: /'hello'.*an administrator disabled it/ });
  made.remove('hello');
  const gone = await fetch(`${made.url}/api/greet/x`);
  t.equal(gone.status, 404);
  t.match(await gone.json(), { code: 'not_found' });
});

t.test("non-HTTP data is answered with the platform's error, and the connection is closed", async (t) => {
  const { port } = await world(t);
  const cases: [string, string, number, string][] = [
    ['garbage', 'what is this\r\n\r\n', 400, 'malformed_request'],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
    ['headers too large', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, 431, 'header_too_large'],
    ['an address too long', `GET /${'y'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, 'header_too_large'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400, 'malformed_request'],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'malformed_request',
    ],
    ['a coding that nobody knows', 'GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n', 400, 'malformed_request'],
    [
      'the same in chunks',
      'POST /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      400,
      'malformed_request',
    ],
    ['no Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
    ['an unknown expectation', 'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: x\r\nConnection: close\r\n\r\n', 400, 'malformed_request'],
    ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'method_not_allowed'],
    ['an upgrade', 'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', 404, 'not_found'],
  ];
  for (const [name, bytes, status, code] of cases) {
    const answer = await ask({ port }, bytes);
    t.equal(answer.status, status, name);
    t.match(JSON.parse(answer.body), { statusCode: status, error: String, message: String, code, request_id: /./ }, name);
  }
});

t.test('a request with a rejected head is not processed', async (t) => {
  const { serve, port } = await world(t);
  let done = 0;
  const does = () => {
    done += 1;
    return { done };
  };
  await serve('counted', ['/api/counted'], { 'counted.get': { ...find, path: '/api/counted', input: (j) => j.object({}), does } });
  for (const line of ['Transfer-Encoding: gzip', 'Transfer-Encoding: gzip, chunked', 'Host: elsewhere']) {
    const head = `GET /api/counted HTTP/1.1\r\nHost: x\r\n${line}\r\n\r\n`;
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask({ port }, head)));
    t.ok(
      answers.every(({ status }) => status === 400),
      line,
    );
  }
  t.equal(done, 0);
  t.equal((await ask({ port }, 'GET /api/counted HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).status, 200);
  t.equal(done, 1);
});

t.test('every answer has a unique id that clients cannot choose', async (t) => {
  const { url } = await world(t);
  const ids = new Set<string>();
  for (const path of ['/healthz', '/nope', '/api/hello/things/a', '/api/hello/echo', '/api/hello/broken']) {
    for (let turn = 0; turn < 20; turn++) {
      const response = await fetch(url + path, { headers: { 'x-request-id': 'mine' } });
      const body = (await response.json()) as { request_id?: string };
      const id = response.headers.get('x-request-id') ?? '';
      if (!response.ok) t.equal(body.request_id, id);
      ids.add(id);
    }
  }
  t.equal(ids.size, 100);
  t.notOk(ids.has('mine'));
});

t.test("the client's address comes only through trusted proxies", async (t) => {
  const addressOf = async ({ url }: World) => {
    const headers = { ...member, ...json, 'x-forwarded-for': '1.2.3.4' };
    const answer = await fetch(`${url}/api/hello/echo`, { method: 'POST', headers, body: '{}' });
    return ((await answer.json()) as { address: string }).address;
  };
  t.equal(await addressOf(await world(t)), '127.0.0.1');
  t.equal(await addressOf(await world(t, { trusted_proxies: ['127.0.0.0/8'] })), '1.2.3.4');
});

t.test('the local socket requires its key, which means nothing elsewhere', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'http-local-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'local.sock');
  const { port } = await world(t, { local: { path, key: 'the-key' } });
  const post = (where: { path: string } | { port: number }, authorization: string) =>
    ask(
      where,
      `POST /api/hello/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${authorization}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    );
  t.equal((await stat(path)).mode & 0o777, 0o600);
  const known = await post({ path }, 'Authorization: Local the-key\r\n');
  t.match(JSON.parse(known.body), { member_id: 1, door: 'local', address: '' });
  t.equal(codeOf((await post({ path }, 'Authorization: Local another\r\n')).body), 'invalid_token');
  t.equal(codeOf((await post({ path }, 'Authorization: Bearer member\r\n')).body), 'unauthenticated');
  t.equal(codeOf((await post({ path }, '')).body), 'unauthenticated');
  t.equal(codeOf((await ask({ path }, 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).body), 'unauthenticated');
  t.equal(codeOf((await post({ port }, 'Authorization: Local the-key\r\n')).body), 'invalid_token');
});

t.test('a stale socket file is replaced, and one with too long a path is omitted', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'http-local-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'local.sock');
  await world(t, { local: { path, key: 'k' } });
  const second = await world(t, { local: { path, key: 'k2' } });
  t.equal((await ask({ path }, 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Local k2\r\n\r\n')).status, 200);
  t.same(second.lines, []);
  const third = await world(t, { local: { path: join(folder, 'x'.repeat(100)), key: 'k' } });
  t.match(third.lines, [{ level: 'warn', message: /too long/ }]);
});

t.test('a used port, a forbidden port and a foreign address fail with one sentence each', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  t.teardown(() => taken.close());
  const { port } = taken.address() as { port: number };
  const failure = async (config: object) => {
    const thrown: unknown = await startWorld({ config }).catch((fault: unknown) => fault);
    return isFailure(thrown) ? [thrown.code, thrown.message] : thrown;
  };
  t.match(await failure({ port }), ['port_in_use', new RegExp(`Port ${port} of 127.0.0.1`)]);
  t.match(await failure({ host: '203.0.113.1' }), ['address_unavailable', /203.0.113.1/]);
});

t.test('a connection keeps working after the end of a stream, an upload and errors', async (t) => {
  const { port, serve } = await world(t);
  await serve('slow', ['/api/slow'], {
    'slow.get': { ...find, path: '/api/slow', does: () => sleep(700, { slow: true }) },
    'slow.stream': {
      summary: 'Ends at once',
      method: 'GET',
      path: '/api/slow/stream',
      who: 'public',
      kind: 'stream',
      does: () =>
        (async function* () {
          yield { type: 'done', data: {} };
        })(),
    },
  });
  const requests = [
    'GET /api/slow/stream HTTP/1.1\r\nHost: x\r\n\r\n',
    'POST /api/hello/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Type: text/plain\r\n\r\nhello',
    'DELETE /api/slow HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello',
    'GET /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello',
    'GET /api/slow HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
  ];
  const received = await exchange({ port }, requests.join(''), 1_500);
  const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  t.same(statuses, [200, 401, 405, 404, 200, 200]);
});

t.test('an upgrade request is ignored, and the connection ends with the answer', async (t) => {
  const { port, serve } = await world(t);
  const done: string[] = [];
  await serve('slow', ['/api/slow'], {
    'slow.get': { ...find, path: '/api/slow/{name}', does: ({ name }: { name: string }) => sleep(300, done.push(name)).then(() => ({})) },
  });
  const wish = 'Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n';
  const echo = `POST /api/hello/echo HTTP/1.1\r\n${wish}Authorization: Bearer member\r\nContent-Type: application/json\r\n`;
  const answerTo = async (...parts: string[]) => {
    const socket = open({ port });
    let received = '';
    socket.on('data', (bytes) => (received += String(bytes)));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    for (const part of parts) {
      socket.write(part);
      await sleep(50);
    }
    await closed;
    t.equal(received.split('HTTP/1.1 ').length, 2, 'the connection carries one answer');
    return firstAnswer(received);
  };
  t.match(await answerTo(`GET /healthz HTTP/1.1\r\n${wish}\r\n`), { status: 200, head: /^Connection: close$/m });
  t.match(await answerTo(`GET /healthz HTTP/1.1\r\n${wish}Host: y\r\n\r\n`), { status: 400 });
  t.match(await answerTo(`GET /healthz HTTP/1.1\r\n${wish}Expect: more\r\n\r\n`), { status: 400 });
  const sized = await answerTo(`${echo}Content-Length: 11\r\n\r\n{"cou`, 'nt":3}');
  t.match(JSON.parse(sized.body), { input: { count: 3 } });
  const chunked = await answerTo(`${echo}Transfer-Encoding: chunked\r\n\r\n4\r\n{"co`, '\r\n7\r\nunt":4}\r\n0\r\n\r\n');
  t.match(JSON.parse(chunked.body), { input: { count: 4 } });

  const get = (name: string, more = '') => `GET /api/slow/${name}?page=1 HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
  const halfABody = `${echo}Content-Length: 1000\r\n\r\n`;
  t.match(await answerTo(get('first', 'Connection: Upgrade\r\nUpgrade: h2c\r\n') + halfABody, get('in-the-body')), { status: 200 });
  t.same(done, ['first'], 'the rest of a body whose start Node dropped is not a request');
});

t.test('a connection that leaves HTTP before its last answer is cut', async (t) => {
  const { port, serve } = await world(t);
  const ended: string[] = [];
  await serve('slow', ['/api/slow'], {
    'slow.stream': {
      ...find,
      path: '/api/slow/{name}',
      kind: 'stream',
      does: ({ name }: { name: string }, { signal }) =>
        (async function* () {
          yield { type: 'begun', data: {} };
          await sleep(60_000, undefined, { signal }).catch(() => ended.push(name));
        })(),
    },
  });
  const ways = {
    socket: 'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    'socket-with-body': 'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 5\r\n\r\n',
    proxy: 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
  };
  for (const [name, behind] of Object.entries(ways)) {
    const socket = open({ port });
    let received = '';
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      if (received === '') socket.write(behind);
      received += String(bytes);
    });
    socket.write(`GET /api/slow/${name}?page=1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    await new Promise((resolve) => socket.once('close', resolve));
    t.equal(received.split('HTTP/1.1').length, 2, 'no answer is mistaken for another');
  }
  while (ended.length < Object.keys(ways).length) await sleep(20);
  t.same(ended, Object.keys(ways));
});

t.test('a client that expects 100-continue is told to send its body', async (t) => {
  const { port } = await world(t);
  const socket = open({ port });
  t.teardown(() => socket.destroy());
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
    if (received.endsWith('100 Continue\r\n\r\n')) socket.write('{"count":3}');
  });
  const head = 'POST /api/hello/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\n';
  socket.write(`${head}Authorization: Bearer member\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n`);
  await new Promise((resolve) => socket.once('close', resolve));
  t.match(received, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  t.match(JSON.parse(firstAnswer(received.slice(25)).body), { input: { count: 3 } });
});
