import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { connect } from '../../../kernel/client/connect.js';
import { type HttpOptions, http } from '../../../kernel/client/http.js';
import type { StreamEvent } from '../../../kernel/contract/operation.js';
import { ownCertificate } from '../../helpers/secure-server.js';
import { operations, type ThingsApi } from './operations.js';

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

/** A server of the test's own, and a client of it. */
async function pair(t: Test, handler: Handler, options: Partial<HttpOptions> = {}) {
  const server = createServer((req, res) => void handler(req, res));
  await listen(server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = http({ url, token: 'secret', resume: { attempts: 3, wait_ms: 1 }, ...options });
  t.teardown(async () => {
    await transport.close();
    server.closeAllConnections();
    server.close();
  });
  return { url, server, client: connect<ThingsApi>(operations, transport) };
}

async function listen(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

function json(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function all(events: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const found: StreamEvent[] = [];
  for await (const event of events) found.push(event);
  return found;
}

const stream = { 'content-type': 'text/event-stream' };
const frame = (n: number) => `id: s.1.${n}\nevent: tick\ndata: {"type":"tick","n":${n}}\n\n`;
const tick = (n: number) => ({ id: `s.1.${n}`, type: 'tick', data: { n } });

t.test('sends method, path, token, key and body of a call and returns the answer', async (t) => {
  const seen: object[] = [];
  const { client } = await pair(t, async (req, res) => {
    const { authorization, 'content-type': type, 'idempotency-key': key } = req.headers;
    seen.push({ method: req.method, url: req.url, authorization, type, key, body: await bodyOf(req) });
    if (req.method === 'DELETE') res.writeHead(204).end();
    else json(res, req.method === 'POST' ? 201 : 200, { id: 1, name: 'ü' });
  });
  t.strictSame(await client.things.create({ name: 'ü' }, { idempotency_key: 'once' }), { id: 1, name: 'ü' });
  t.strictSame(await client.things.list({ q: 'a&b', limit: 3 }), { id: 1, name: 'ü' });
  t.equal(await client.things.delete({ id: 4 }), undefined);
  const authorization = 'Bearer secret';
  t.strictSame(seen, [
    { method: 'POST', url: '/api/things', authorization, type: 'application/json', key: 'once', body: '{"name":"ü"}' },
    { method: 'GET', url: '/api/things?q=a%26b&limit=3', authorization, type: undefined, key: undefined, body: '' },
    { method: 'DELETE', url: '/api/things/4', authorization, type: undefined, key: undefined, body: '' },
  ]);
});

t.test("the server's address may have a path", async (t) => {
  const { url } = await pair(t, (req, res) => json(res, 200, { items: [req.url] }));
  const transport = http({ url: `${url}/work/` });
  t.teardown(() => transport.close());
  t.strictSame(await connect<ThingsApi>(operations, transport).things.list(), { items: ['/work/api/things'] });
});

t.test('an error answer becomes its failure', async (t) => {
  const details = [{ path: 'name', message: '"name" is required' }];
  const { client } = await pair(t, (_req, res) => {
    res.setHeader('retry-after', 7);
    json(res, 429, { statusCode: 429, error: '', message: 'Slow down', code: 'rate_limited', details, request_id: 'r' });
  });
  await t.rejects(client.things.create({ name: '' }), {
    isFailure: true,
    code: 'rate_limited',
    message: 'Slow down',
    status: 429,
    retry_after: 7,
    details,
    cause: { request_id: 'r' },
  });
});

t.test('servers that are not a platform are recognised', async (t) => {
  const { client } = await pair(t, (req, res) => {
    res.writeHead(req.method === 'POST' ? 502 : 200, { 'content-type': 'text/html' }).end('<h1>hello</h1>');
  });
  await t.rejects(client.things.list(), { code: 'unexpected_answer', status: 502, message: /is not JSON; is it a platform\?$/ });
  await t.rejects(client.things.create({ name: 'a' }), {
    code: 'unexpected_answer',
    message: /answered with status 502 and without a platform's error body/,
  });
  await t.rejects(all(client.things.watch()), { code: 'unexpected_answer' });
});

t.test('reports a port without a server as unreachable in one sentence', async (t) => {
  const server = createServer();
  await listen(server);
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const client = connect<ThingsApi>(operations, http({ url: `http://127.0.0.1:${port}` }));
  const expected = { code: 'unreachable', status: 503, message: `http://127.0.0.1:${port} can't be reached: nothing listens there` };
  await t.rejects(client.things.list(), expected);
  await t.rejects(all(client.things.watch()), expected);
  t.throws(() => http({ url: 'example.com' }), {
    code: 'unreachable',
    message: "'example.com' is not an address; expected one like http://127.0.0.1:8080",
  });
});

t.test('a server that accepts the request and stays silent is unreachable after its time limit', async (t) => {
  const { url } = await pair(t, () => undefined);
  const slow = { ...operations, 'things.list': { ...operations['things.list'], timeout_ms: -4_900 } };
  const transport = http({ url });
  t.teardown(() => transport.close());
  await t.rejects(connect<ThingsApi>(slow, transport).things.list(), { code: 'unreachable', message: /no answer within 0 s$/ });
});

t.test('a truncated response is reported as unreachable', async (t) => {
  const { client } = await pair(t, (_req, res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).write('{"items":[');
    setImmediate(() => res.destroy());
  });
  await t.rejects(client.things.list(), { code: 'unreachable', message: /the connection was closed$/ });
});

t.test('an aborted call fails with its reason', async (t) => {
  const { client } = await pair(t, () => undefined);
  const controller = new AbortController();
  const reason = new Error('enough');
  const call = client.things.list({}, { signal: controller.signal });
  controller.abort(reason);
  await t.rejects(call, reason);
});

t.test('the events of a stream are returned without their type in the data, and end with the server', async (t) => {
  const { client } = await pair(t, (req, res) => {
    t.equal(req.headers.accept, 'text/event-stream');
    t.equal(req.url, '/api/things/stream?after=s.1.0');
    res.writeHead(200, stream).end(`retry: 3000\n\n${frame(1)}: comment\n\ndata: {"type":"done"}\n\n`);
  });
  t.strictSame(await all(client.things.watch({ after: 's.1.0' })), [tick(1), { type: 'done', data: {} }]);
});

t.test('a dropped stream resumes after the last event', async (t) => {
  const asked: unknown[] = [];
  const { client } = await pair(t, (req, res) => {
    const from = Number(String(req.headers['last-event-id'] ?? 's.1.0').split('.')[2]);
    asked.push([req.url, req.headers['last-event-id']]);
    res.writeHead(200, stream).write(`retry: 1\n\n${frame(from + 1)}`);
    if (from === 3) res.end();
    else setImmediate(() => res.destroy());
  });
  t.strictSame(await all(client.things.watch({ after: 's.1.0' })), [tick(1), tick(2), tick(3), tick(4)]);
  t.strictSame(asked, [
    ['/api/things/stream?after=s.1.0', undefined],
    ['/api/things/stream', 's.1.1'],
    ['/api/things/stream', 's.1.2'],
    ['/api/things/stream', 's.1.3'],
  ]);
});

t.test('a stream that is cut before its first event resumes from its start', async (t) => {
  const asked: unknown[] = [];
  const { client } = await pair(t, (req, res) => {
    asked.push([req.url, req.headers['last-event-id']]);
    res.writeHead(200, stream).write('id: s.1.7\nretry: 1\n\n');
    if (asked.length === 3) res.end(frame(8));
    else setImmediate(() => res.destroy());
  });
  t.strictSame(await all(client.things.watch()), [tick(8)]);
  const again = ['/api/things/stream', 's.1.7'];
  t.strictSame(asked, [['/api/things/stream', undefined], again, again]);
});

t.test('a stopping server sends a wait last, and the stream resumes at the next one', async (t) => {
  let connections = 0;
  const { client } = await pair(t, (_req, res) => {
    connections += 1;
    if (connections === 1) res.writeHead(200, stream).end(`retry: 1\n\n${frame(1)}retry: 1\n\n`);
    else if (connections === 2) json(res, 503, { code: 'shutting_down', message: 'stopping' });
    else res.writeHead(200, stream).end(`retry: 1\n\n${frame(2)}`);
  });
  t.strictSame(await all(client.things.watch()), [tick(1), tick(2)]);
});

t.test('a client gives up on an unavailable stream after its attempts', async (t) => {
  let connections = 0;
  const { client } = await pair(t, (req, res) => {
    connections += 1;
    if (connections > 1) req.destroy();
    else {
      res.writeHead(200, stream).write(frame(1));
      setImmediate(() => res.destroy());
    }
  });
  const seen: StreamEvent[] = [];
  const read = (async () => {
    for await (const event of client.things.watch()) seen.push(event);
  })();
  await t.rejects(read, { code: 'unreachable' });
  t.strictSame([seen, connections], [[tick(1)], 4]);
});

t.test('a dropped stream of a POST is not restarted', async (t) => {
  let connections = 0;
  const { client } = await pair(t, async (req, res) => {
    connections += 1;
    await bodyOf(req);
    res.writeHead(200, stream).write(frame(1));
    setImmediate(() => res.destroy());
  });
  await t.rejects(all(client.things.run({ name: 'a' })), { code: 'unreachable' });
  t.equal(connections, 1);
});

t.test('a failure before the first event is thrown and not retried', async (t) => {
  let connections = 0;
  const { client } = await pair(t, (_req, res) => {
    connections += 1;
    json(res, 404, { code: 'thing_not_found', message: 'There is no thing' });
  });
  await t.rejects(all(client.things.watch()), { code: 'thing_not_found', status: 404 });
  t.equal(connections, 1);
});

t.test('a stream that fails after its start throws the failure', async (t) => {
  const { client } = await pair(t, (_req, res) => {
    const fault = { type: 'error', code: 'too_much', message: 'That was too much', request_id: 'r' };
    res.writeHead(200, stream).end(`${frame(1)}event: error\ndata: ${JSON.stringify(fault)}\n\n`);
  });
  const seen: StreamEvent[] = [];
  const read = (async () => {
    for await (const event of client.things.watch()) seen.push(event);
  })();
  await t.rejects(read, { isFailure: true, code: 'too_much', message: 'That was too much', cause: { request_id: 'r' } });
  t.strictSame(seen, [tick(1)]);
});

t.test('leaving or aborting a stream closes its connection', async (t) => {
  const closed: Promise<unknown>[] = [];
  const { client } = await pair(t, (_req, res) => {
    closed.push(once(res, 'close'));
    res.writeHead(200, stream).write(frame(1));
  });
  for await (const event of client.things.watch()) {
    t.strictSame(event, tick(1));
    break;
  }
  const controller = new AbortController();
  const events = client.things.watch({}, { signal: controller.signal });
  for await (const event of events) {
    t.strictSame(event, tick(1));
    controller.abort();
  }
  await Promise.all(closed);
  t.equal(closed.length, 2);
});

t.test('puts a ticket but no token into the address of a stream', async (t) => {
  const { client } = await pair(
    t,
    (req, res) => res.writeHead(200, stream).end(`data: {"type":"seen","url":"${req.url}","token":"${req.headers.authorization}"}\n\n`),
    { token: undefined, ticket: 'a/b' },
  );
  t.strictSame(await all(client.things.watch()), [{ type: 'seen', data: { url: '/api/things/stream?ticket=a%2Fb', token: 'undefined' } }]);
});

t.test('an upload is sent as a form with its file', async (t) => {
  const { client } = await pair(t, async (req, res) => {
    const form = await new Response(await bodyOf(req), { headers: { 'content-type': String(req.headers['content-type']) } }).formData();
    const file = form.get('file') as File;
    json(res, 200, { type: form.get('type'), name: file.name, text: await file.text() });
  });
  const file = { bytes: new TextEncoder().encode('zip'), name: '/somewhere/x.zip' };
  t.strictSame(await client.things.parts.publish({ type: 'skill', file }), { type: 'skill', name: 'x.zip', text: 'zip' });
});

t.test('a certificate that is not accepted comes with what helps', async (t) => {
  const server = createSecureServer(ownCertificate, (_req, res) => res.end('{}'));
  await listen(server);
  const transport = http({ url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'secret' });
  t.teardown(async () => {
    await transport.close();
    server.close();
  });
  const client = connect<ThingsApi>(operations, transport);
  await t.rejects(client.things.list(), { code: 'unreachable', message: /self-signed/, fix: /NODE_EXTRA_CA_CERTS=/ });
});
