import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { failures } from '../../../../kernel/contract/failure.js';
import { broken, echo, find, hello, json, member } from './deeds.js';
import { ask, open } from './raw.js';
import { type Deed, startWorld, type World } from './world.js';

const fail = failures({ too_hot: 409, later: 429, engine_error: 502 });

async function world(t: Test, more: Record<string, Deed> = {}): Promise<World> {
  const made = await startWorld();
  t.teardown(() => made.http.close(1_000));
  await made.serve('hello', ['/api/hello'], { ...hello, ...more });
  return made;
}

type Body = string | Uint8Array | ReadableStream;

const post = async (url: string, body: Body, headers: Record<string, string> = json) => {
  const answer = await fetch(`${url}/api/hello/echo`, {
    method: 'POST',
    body,
    headers: { ...member, ...headers },
    duplex: 'half',
  } as RequestInit);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

t.test('the input is one flat object: path before query before body, each from its place', async (t) => {
  const { url } = await world(t, {
    'hello.put': {
      ...echo,
      method: 'PUT',
      path: '/api/hello/things/{text}',
      does: (input: object, call) => ({ input, member_id: call.caller.member_id }),
    },
  });
  const answer = await fetch(`${url}/api/hello/things/path?force=true&count=9`, {
    method: 'PUT',
    headers: { ...member, ...json },
    body: JSON.stringify({ text: 'body', count: 1, force: false, unknown: 1 }),
  });
  t.same(await answer.json(), { input: { text: 'path', count: 1, force: true }, member_id: 7 });
  const found = await fetch(`${url}/api/hello/things/x?page=3&name=query&unknown=1`);
  t.same(await found.json(), { name: 'x', page: 3 });
});

t.test('the user agent is passed to the handler', async (t) => {
  const { url } = await world(t);
  const headers = { ...json, 'user-agent': 'x'.repeat(300), 'idempotency-key': 'k-1' };
  const { body } = await post(url, '{}', headers);
  t.match(body, { agent: 'x'.repeat(200), idempotency_key: 'k-1', member_id: 7, door: 'http', address: '127.0.0.1' });
  for (const key of ['', ' ', 'a b', 'x'.repeat(201), 'ä']) {
    const answer = await post(url, '{}', { ...json, 'idempotency-key': key });
    t.match(answer, { status: 400, body: { code: 'malformed_request' } }, JSON.stringify(key));
  }
});

t.test('valid bodies are accepted: none, empty, with a byte order mark, in chunks', async (t) => {
  const { url, port } = await world(t);
  t.match(await post(url, '{"text":"é"}'), { status: 200, body: { input: { text: 'é' } } });
  t.match(await post(url, '\uFEFF{"count":1}'), { status: 200, body: { input: { count: 1 } } });
  t.match(await post(url, '{"count":1}', { 'content-type': 'application/json; charset=utf-8' }), { status: 200 });
  const chunks = new ReadableStream({
    start(controller) {
      for (const part of ['{"co', 'unt"', ':2}']) controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
  t.match(await post(url, chunks), { status: 200, body: { input: { count: 2 } } });
  const bare = await fetch(`${url}/api/hello/echo`, { method: 'POST', headers: member });
  t.match(await bare.json(), { input: {} });
  const head = 'POST /api/hello/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer member\r\n';
  t.equal((await ask({ port }, `${head}\r\n`)).status, 200);
});

t.test('invalid bodies give 400, 413 or 415 with a code, never a 5xx', async (t) => {
  const { url } = await world(t);
  const deep = `{"any":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const cases: [string, Body, Record<string, string>, number, string][] = [
    ['cut off', '{"text":', json, 400, 'malformed_request'],
    ['not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), json, 400, 'malformed_request'],
    ['a list', '[1]', json, 400, 'malformed_request'],
    ['null', 'null', json, 400, 'malformed_request'],
    ['a text', '"x"', json, 400, 'malformed_request'],
    ['too deep', deep, json, 400, 'malformed_request'],
    ['a prototype', '{"__proto__":{"admin":true}}', json, 400, 'malformed_request'],
    ['a prototype within', '{"any":[{"\\u005f_proto__":1}]}', json, 400, 'malformed_request'],
    ['a NUL', '{"text":"a\\u0000b"}', json, 400, 'malformed_request'],
    ['a NUL in a key', '{"any":{"a\\u0000b":{}}}', json, 400, 'malformed_request'],
    ['of wrong types', '{"text":1,"count":"many"}', json, 400, 'invalid_input'],
    ['huge numbers', '{"count":1e400}', json, 400, 'invalid_input'],
    ['a form', 'text=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'unsupported_media_type'],
    ['a text file', '{}', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['of no known type', '{}', { 'content-type': 'nonsense' }, 415, 'unsupported_media_type'],
    ['compressed', '{}', { ...json, 'content-encoding': 'gzip' }, 415, 'unsupported_media_type'],
    ['too large', JSON.stringify({ text: 'x'.repeat(2_000_000) }), json, 413, 'payload_too_large'],
  ];
  for (const [name, body, headers, status, code] of cases) {
    t.match(await post(url, body, headers), { status, body: { statusCode: status, code } }, name);
  }
  const endless = new ReadableStream({
    pull(controller) {
      controller.enqueue(new Uint8Array(100_000).fill(32));
      if (++sent === 30) controller.close();
    },
  });
  let sent = 0;
  t.match(await post(url, endless), { status: 413, body: { code: 'payload_too_large' } }, 'a chunked body above the limit is rejected');
});

t.test('constructor and prototype are ordinary keys', async (t) => {
  const { url } = await world(t);
  t.match(await post(url, '{"constructor":{"prototype":{"x":1}},"toString":1}'), { status: 200, body: { input: {} } });
  t.equal(({} as { x?: number }).x, undefined);
});

t.test('repeated query keys and __proto__ are rejected or dropped, never a 5xx', async (t) => {
  const { url } = await world(t);
  const get = async (query: string) => {
    const answer = await fetch(`${url}/api/hello/things/x?${query}`);
    return [answer.status, await answer.json()] as const;
  };
  t.match(await get('page=1&page=2'), [400, { code: 'invalid_input', details: [{ path: 'page', message: String }] }]);
  t.same(await get('__proto__=1&__proto__[x]=2&constructor=3'), [200, { name: 'x' }]);
  t.same(await get(Array.from({ length: 2_000 }, (_, n) => `k${n}=1`).join('&')), [200, { name: 'x' }]);
});

t.test('unauthorised requests and unknown paths are rejected', async (t) => {
  const { url } = await world(t);
  const code = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(url + path, { method, headers });
    const body = (await answer.json()) as { code: string };
    return [answer.status, body.code, answer.headers.get('www-authenticate') ?? answer.headers.get('allow')];
  };
  t.same(await code('POST', '/api/hello/echo'), [401, 'unauthenticated', 'Bearer']);
  t.same(await code('POST', '/api/hello/echo', { authorization: 'Bearer wrong' }), [401, 'invalid_token', 'Bearer']);
  t.same(await code('POST', '/api/hello/echo', { authorization: 'Basic YTpi' }), [401, 'invalid_token', 'Bearer']);
  t.same(await code('POST', '/api/hello/echo', { authorization: 'Bearer' }), [401, 'invalid_token', 'Bearer']);
  t.same(
    await code('POST', '/api/hello/echo?token=member&ticket=ticket'),
    [401, 'unauthenticated', 'Bearer'],
    'calls accept a token in the header only',
  );
  t.same(await code('PUT', '/api/hello/echo'), [405, 'method_not_allowed', 'POST']);
  t.same(await code('POST', '/api/hello/broken'), [405, 'method_not_allowed', 'GET, HEAD']);
  t.same(await code('PATCH', '/api/hello/things/x'), [405, 'method_not_allowed', 'GET, DELETE, HEAD']);
  t.same(await code('OPTIONS', '/api/hello/echo'), [405, 'method_not_allowed', 'POST']);
  t.same(await code('GET', '/api/hello/nothing/here/at/all'), [404, 'not_found', null]);
  t.same(await code('GET', '/api/hello/broken/'), [404, 'not_found', null]);
});

t.test('protected operations are unavailable without the extension members', async (t) => {
  const made = await startWorld({ authenticator: () => undefined });
  t.teardown(() => made.http.close(1_000));
  await made.serve('hello', ['/api/hello'], hello);
  t.match(await post(made.url, '{}'), { status: 503, body: { code: 'extension_unavailable' } });
  t.equal((await fetch(`${made.url}/api/hello/things/x`)).status, 200);
});

t.test('failures keep their code, status and retry time', async (t) => {
  const failing = (path: string, failure: () => Error): Deed => ({ ...broken, path, does: () => Promise.reject(failure()) });
  const { url } = await world(t, {
    'hello.hot': failing('/api/hello/hot', () => fail('too_hot', 'The stove is too hot')),
    'hello.later': failing('/api/hello/later', () => fail('later', 'Not yet', { retry_after: 7 })),
    'hello.engine': failing('/api/hello/engine', () => fail('engine_error', 'The engine answered 500')),
    'hello.foreign': failing('/api/hello/foreign', () =>
      Object.assign(new Error('Too hot'), { isFailure: true, code: 'too_hot', status: 409 }),
    ),
  });
  const get = async (path: string) => {
    const answer = await fetch(`${url}/api/hello/${path}`);
    return { status: answer.status, wait: answer.headers.get('retry-after'), body: (await answer.json()) as { request_id: string } };
  };
  const hot = await get('hot');
  t.same(hot, {
    status: 409,
    wait: null,
    body: { statusCode: 409, error: 'Conflict', message: 'The stove is too hot', code: 'too_hot', request_id: hot.body.request_id },
  });
  t.match(await get('later'), { status: 429, wait: '7', body: { error: 'Too Many Requests', code: 'later' } });
  t.match(await get('engine'), { status: 502, body: { error: 'Bad Gateway', code: 'engine_error' } });
  t.match(await get('foreign'), { status: 409, body: { code: 'too_hot' } });
});

t.test('an unexpected fault reveals nothing to the client and is logged completely', async (t) => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const { url, lines } = await world(t, {
    'hello.cyclic': { ...find, path: '/api/hello/cyclic', does: () => cyclic },
    'hello.thrown': { ...find, path: '/api/hello/thrown', does: () => Promise.reject('a text') },
  });
  for (const path of ['broken', 'cyclic', 'thrown']) {
    const answer = await fetch(`${url}/api/hello/${path}`);
    const body = (await answer.json()) as { request_id: string; message: string };
    t.match(body, { statusCode: 500, code: 'internal_error' });
    t.notMatch(JSON.stringify(body), /hunter2|passwd|circular|TypeError|\.ts|\.js|a text/);
    t.match(lines.at(-1), {
      level: 'error',
      message: `hello.${path} failed`,
      fields: { request_id: body.request_id, operation: `hello.${path}` },
    });
  }
  t.match(lines[0]?.fields, { fault: { message: /hunter2/ } });
});

t.test('an answer may have no body, another status, or be for HEAD', async (t) => {
  const { url } = await world(t, {
    'hello.made': {
      ...find,
      path: '/api/hello/made',
      status: 201,
      also: [202],
      does: (_input, call) => {
        call.status(202);
        return { queued: true };
      },
    },
  });
  const gone = await fetch(`${url}/api/hello/things/x`, { method: 'DELETE', headers: { authorization: 'Bearer admin' } });
  t.same([gone.status, await gone.text(), gone.headers.has('content-type')], [204, '', false]);
  const made = await fetch(`${url}/api/hello/made`);
  t.same([made.status, await made.json()], [202, { queued: true }]);
  const head = await fetch(`${url}/api/hello/things/x`, { method: 'HEAD' });
  t.same([head.status, await head.text(), head.headers.get('content-length')], [200, '', '12']);
});

t.test('an operation with etags answers 304 to a client with the current answer', async (t) => {
  const { url } = await world(t, { 'hello.tagged': { ...find, path: '/api/hello/tagged', etag: true, does: () => ({ big: 'x' }) } });
  const first = await fetch(`${url}/api/hello/tagged`);
  const tag = first.headers.get('etag') ?? '';
  t.match(tag, /^"[\w-]{27}"$/);
  t.equal(first.headers.get('cache-control'), 'private, no-cache');
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`]) {
    const again = await fetch(`${url}/api/hello/tagged`, { headers: { 'if-none-match': known } });
    t.same([again.status, await again.text()], [304, '']);
  }
  t.equal((await fetch(`${url}/api/hello/tagged`, { headers: { 'if-none-match': '"other"' } })).status, 200);
});

t.test('a request whose body never arrives is given up, and its connection is closed', async (t) => {
  const { port } = await world(t, { 'hello.small': { ...echo, path: '/api/hello/small', who: 'public', max_bytes: 1 } });
  const socket = open({ port });
  t.teardown(() => socket.destroy());
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  // The time for a body is 10 s and more by its size: cutting the connection instead must leave nothing behind.
  socket.write('POST /api/hello/small HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n');
  await sleep(100);
  socket.end();
  await ended;
});

t.test('metrics count by operation and status', async (t) => {
  const { url } = await world(t);
  for (const path of ['things/x', 'things/x', 'things/x?page=no', 'broken']) await (await fetch(`${url}/api/hello/${path}`)).text();
  const text = await (await fetch(`${url}/metrics`)).text();
  t.match(text, /platform_http_requests_total\{operation="hello.find",status="200"\} 2\n/);
  t.match(text, /platform_http_requests_total\{operation="hello.find",status="400"\} 1\n/);
  t.match(text, /platform_http_requests_total\{operation="hello.broken",status="500"\} 1\n/);
  t.match(text, /platform_http_request_duration_seconds_count\{operation="hello.find"\} 3\n/);
  t.match(text, /platform_http_request_duration_seconds_bucket\{operation="hello.find",le="\+Inf"\} 3\n/);
});
