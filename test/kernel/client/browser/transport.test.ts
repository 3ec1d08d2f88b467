import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { type BrowserApi, type BrowserOptions, browser, connect, type StreamEvent } from '../../../../kernel/client/browser/index.js';
import type { OperationData } from '../../../../kernel/contract/manifest.js';
import type { FileAnswer } from '../../../../kernel/contract/operation.js';
import { becomes } from '../../../helpers/eventually.js';
import { type ThingsApi, operations as things } from '../operations.js';

type Api = BrowserApi<
  Omit<ThingsApi, 'things.parts.publish'> & {
    'things.start': { input: { name: string }; answer: { id: number } };
    'things.upload': { input: { note: string; file: { filename: string; path: string; bytes: number } }; answer: { ok: boolean } };
    'things.read': { input: { id: number }; answer: FileAnswer };
    'things.open': { input: object; answer: { open: boolean } };
  }
>;

const plain = { summary: '', who: 'member', kind: 'call', input: {}, status: 200 } as const;
const operations: Record<string, OperationData> = {
  ...things,
  'things.start': { ...plain, method: 'POST', path: '/api/things/start', idempotent: 'data' },
  'things.upload': { ...plain, method: 'POST', path: '/api/things/upload', kind: 'upload' },
  'things.read': { ...plain, method: 'GET', path: '/api/things/{id}/file', kind: 'file' },
  'things.open': { ...plain, method: 'GET', path: '/api/things/open', who: 'public' },
};

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

/** A server of the test's own, and a client of it. */
async function pair(t: Test, handler: Handler, options: Partial<BrowserOptions> = {}) {
  const server = createServer((req, res) => void handler(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transport = browser({
    url,
    token: () => 'first',
    renew: async () => undefined,
    back_off: { wait_ms: 1, max_wait_ms: 5 },
    ...options,
  });
  t.teardown(async () => {
    await transport.close();
    server.closeAllConnections();
    server.close();
  });
  return { url, transport, client: connect<Api>(operations, transport) };
}

function json(res: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(JSON.stringify(body));
}

const refuse = (res: ServerResponse) => json(res, 401, { code: 'invalid_token', message: 'expired', request_id: 'r' });

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

/** A page's session, which counts its renewals. */
function session(tokens: readonly (string | undefined)[]) {
  const state = { token: 'first' as string | undefined, renewals: 0 };
  return {
    state,
    token: () => state.token,
    renew: async () => {
      state.renewals += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      state.token = tokens[state.renewals - 1];
      return state.token;
    },
  };
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
    else json(res, 200, { id: 1, name: 'ü' });
  });
  t.strictSame(await client.things.create({ name: 'ü' }, { idempotency_key: 'once' }), { id: 1, name: 'ü' });
  t.strictSame(await client.things.list({ q: 'a&b', limit: 3 }), { id: 1, name: 'ü' });
  t.equal(await client.things.delete({ id: 4 }), undefined);
  const authorization = 'Bearer first';
  t.strictSame(seen, [
    { method: 'POST', url: '/api/things', authorization, type: 'application/json', key: 'once', body: '{"name":"ü"}' },
    { method: 'GET', url: '/api/things?q=a%26b&limit=3', authorization, type: undefined, key: undefined, body: '' },
    { method: 'DELETE', url: '/api/things/4', authorization, type: undefined, key: undefined, body: '' },
  ]);
});

t.test('calls whose token has expired share one renewal and are repeated once', async (t) => {
  const page = session(['second']);
  const asked: unknown[] = [];
  const { client } = await pair(
    t,
    (req, res) => {
      asked.push(req.headers.authorization);
      if (req.headers.authorization === 'Bearer first') refuse(res);
      else json(res, 200, { items: [] });
    },
    page,
  );
  await Promise.all([client.things.list(), client.things.list(), client.things.create({ name: 'a' })]);
  await client.things.list();
  t.equal(page.state.renewals, 1);
  t.same(asked.sort(), [...Array(3).fill('Bearer first'), ...Array(4).fill('Bearer second')]);
});

t.test('a call fails with the refusal if there is no new token, or if it is refused too', async (t) => {
  const page = session([undefined]);
  const { client } = await pair(t, (_req, res) => refuse(res), page);
  await t.rejects(client.things.list(), { code: 'invalid_token', status: 401, cause: { request_id: 'r' } });
  const stubborn = session(['second', 'third']);
  let calls = 0;
  const { client: again } = await pair(
    t,
    (_req, res) => {
      calls += 1;
      refuse(res);
    },
    stubborn,
  );
  await t.rejects(again.things.list(), { code: 'invalid_token' });
  t.same([calls, stubborn.state.renewals], [2, 1]);
});

t.test('without a token a call gets one first, and public calls need none', async (t) => {
  const page = session(['second', undefined]);
  page.state.token = undefined;
  const asked: unknown[] = [];
  const { client } = await pair(
    t,
    (req, res) => {
      asked.push(req.headers.authorization);
      json(res, 200, { open: true });
    },
    page,
  );
  await client.things.open();
  await client.things.list();
  page.state.token = undefined;
  await t.rejects(client.things.list(), { code: 'unauthenticated', status: 401 });
  t.same(asked, [undefined, 'Bearer second']);
});

t.test('a failed renewal is not a log-out', async (t) => {
  const failure = Object.assign(new Error('offline'), { isFailure: true, code: 'unreachable', status: 503 });
  const renew = () => Promise.reject(failure);
  const { client } = await pair(t, (_req, res) => refuse(res), { renew });
  await t.rejects(client.things.create({ name: 'a' }), { code: 'unreachable' });
});

t.test('a call that lost its connection is repeated with the same key, and waits for the first', async (t) => {
  const keys: unknown[] = [];
  const { client } = await pair(t, async (req, res) => {
    keys.push(req.headers['idempotency-key']);
    await bodyOf(req);
    if (keys.length === 1) res.destroy();
    else if (keys.length === 2) json(res, 409, { code: 'idempotency_in_progress', message: 'running' }, { 'retry-after': '0' });
    else json(res, 200, { id: keys.length });
  });
  t.same(await client.things.start({ name: 'a' }), { id: 3 });
  t.match(keys[0], /^[0-9a-f]{32}$/);
  t.same(new Set(keys).size, 1);
  await client.things.start({ name: 'b' });
  t.not(keys[3], keys[0]);
});

t.test('a call that may have had its effect is not repeated', async (t) => {
  let calls = 0;
  const { client } = await pair(t, (_req, res) => {
    calls += 1;
    res.destroy();
  });
  await t.rejects(client.things.create({ name: 'a' }, { idempotency_key: 'ignored-there' }), { code: 'unreachable', status: 503 });
  t.equal(calls, 1);
  await t.rejects(client.things.list(), { code: 'unreachable', message: /can't be reached: the connection failed$/ });
  t.equal(calls, 3);
});

t.test('an error answer becomes its failure, and other servers are recognised', async (t) => {
  const details = [{ path: 'name', message: '"name" is required' }];
  const { client } = await pair(t, (req, res) => {
    if (req.method === 'GET') res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hello</h1>');
    else json(res, 429, { message: 'Slow down', code: 'rate_limited', details, request_id: 'r' }, { 'retry-after': '7' });
  });
  const failure = { isFailure: true, code: 'rate_limited', message: 'Slow down', status: 429, retry_after: 7, details };
  await t.rejects(client.things.create({ name: '' }), { ...failure, cause: { request_id: 'r' } });
  await t.rejects(client.things.list(), { code: 'unexpected_answer' });
  await t.rejects(all(client.things.watch()), { code: 'unexpected_answer' });
});

t.test('an aborted call fails with its reason, and one that a silent server keeps fails after its time limit', async (t) => {
  const { client, transport } = await pair(t, () => undefined);
  const controller = new AbortController();
  const reason = new Error('enough');
  const call = client.things.create({ name: 'a' }, { signal: controller.signal });
  controller.abort(reason);
  await t.rejects(call, reason);
  const slow = { ...operations, 'things.list': { ...things['things.list'], timeout_ms: -4_950 } };
  await t.rejects(connect<Api>(slow, transport).things.list(), { code: 'unreachable', message: /no answer within 0 s$/ });
});

t.test('a stream resumes after its last event, also when its token expires', async (t) => {
  const page = session(['second']);
  const asked: unknown[] = [];
  const lines: string[] = [];
  const { client } = await pair(
    t,
    (req, res) => {
      const { authorization, 'last-event-id': id } = req.headers;
      asked.push([req.url, authorization, id]);
      if (asked.length > 2 && authorization === 'Bearer first') return refuse(res);
      res.writeHead(200, stream).write(`retry: 1\n\n${frame(asked.length)}`);
      if (asked.length === 1) setImmediate(() => res.destroy());
      else if (asked.length === 2) res.end('event: revoked\ndata: {"type":"revoked","reason":"expired"}\n\n');
      else res.end();
      return undefined;
    },
    page,
  );
  t.strictSame(await all(client.things.watch({ after: 's.1.0' }, { line: (state) => lines.push(state) })), [tick(1), tick(2), tick(4)]);
  t.strictSame(asked, [
    ['/api/things/stream?after=s.1.0', 'Bearer first', undefined],
    ['/api/things/stream', 'Bearer first', 's.1.1'],
    ['/api/things/stream', 'Bearer first', 's.1.2'],
    ['/api/things/stream', 'Bearer second', 's.1.2'],
  ]);
  t.equal(lines[0], 'connecting');
  t.equal(lines.filter((state) => state === 'live').length, 3);
});

t.test('a stream waits for a server that is away for long, and says so', async (t) => {
  const lines: string[] = [];
  let connections = 0;
  const { client } = await pair(t, (_req, res) => {
    connections += 1;
    if (connections === 1) {
      res.writeHead(200, stream).write(`retry: 1\n\n${frame(1)}`);
      setImmediate(() => res.destroy());
    } else if (connections < 20) res.destroy();
    else res.writeHead(200, stream).end(frame(2));
  });
  t.strictSame(await all(client.things.watch({}, { line: (state) => lines.push(state) })), [tick(1), tick(2)]);
  t.same([lines.includes('offline'), lines.at(-1)], [true, 'live']);
});

t.test('a hint ends the wait of a stream', async (t) => {
  let connections = 0;
  const { client, transport } = await pair(
    t,
    (_req, res) => {
      connections += 1;
      if (connections === 1) {
        res.writeHead(200, stream).write(`retry: 1\n\n${frame(1)}`);
        setImmediate(() => res.destroy());
      } else res.writeHead(200, stream).end(frame(2));
    },
    { back_off: { wait_ms: 600_000, max_wait_ms: 600_000 } },
  );
  const reading = all(client.things.watch());
  const hints = setInterval(() => transport.hint('online'), 10);
  t.teardown(() => clearInterval(hints));
  t.strictSame(await reading, [tick(1), tick(2)]);
});

t.test('a stream ends with its signal, in the server too', async (t) => {
  let closed = false;
  const { client } = await pair(t, (_req, res) => {
    res.on('close', () => {
      closed = true;
    });
    res.writeHead(200, stream).write(`retry: 1\n\n${frame(1)}`);
  });
  const controller = new AbortController();
  const seen: unknown[] = [];
  for await (const event of client.things.watch({}, { signal: controller.signal })) {
    seen.push(event);
    controller.abort();
  }
  t.strictSame(seen, [tick(1)]);
  await becomes(t, () => closed, true);
  closed = false;
  const left = client.things.watch()[Symbol.asyncIterator]();
  t.strictSame(await left.next(), { done: false, value: tick(1) });
  await left.return?.();
  await becomes(t, () => closed, true);
});

t.test('a stream that fails for good, or whose first connection fails, is not opened again', async (t) => {
  let connections = 0;
  const { client } = await pair(t, (req, res) => {
    connections += 1;
    if (req.method === 'POST') res.destroy();
    else json(res, 404, { code: 'not_found', message: 'gone' });
  });
  await t.rejects(all(client.things.watch()), { code: 'not_found' });
  await t.rejects(all(client.things.run({ name: 'a' })), { code: 'unreachable' });
  t.equal(connections, 2);
});

t.test('uploads send a file, and files are answered as a blob', async (t) => {
  let form = '';
  const { client } = await pair(t, async (req, res) => {
    if (req.method === 'GET') {
      const headers = { 'content-type': 'image/png', etag: '"abc"', 'content-disposition': "attachment; filename*=UTF-8''b%C3%BC.png" };
      return res.writeHead(200, headers).end('bytes');
    }
    form = await bodyOf(req);
    t.match(req.headers['content-type'], /^multipart\/form-data; boundary=/);
    return json(res, 200, { ok: true });
  });
  t.same(await client.things.upload({ note: 'a note', file: new File(['content'], 'a.txt') }), { ok: true });
  t.match(form, /name="note"\r\n\r\na note/);
  t.match(form, /name="file"; filename="a.txt"[\s\S]*content/);
  await client.things.upload({ note: '', file: { name: 'folder/b.txt', bytes: new TextEncoder().encode('é') } });
  t.match(form, /filename="b.txt"[\s\S]*é/);
  const { blob, ...rest } = await client.things.read({ id: 7 });
  t.same(rest, { mime_type: 'image/png', etag: 'abc', save_as: 'bü.png' });
  t.same([blob.type, await blob.text()], ['image/png', 'bytes']);
});

t.test('a link to a file has a ticket', async (t) => {
  const { url, transport } = await pair(t, (req, res) => {
    t.same([req.method, req.url, req.headers.authorization], ['POST', '/api/auth/ticket', 'Bearer first']);
    json(res, 200, { ticket: 'a/b', expires_in: 60 });
  });
  t.equal(await transport.link(operations['things.read'] as OperationData, { id: 7 }), `${url}/api/things/7/file?ticket=a%2Fb`);
});

t.test('a closed transport ends its calls and streams', async (t) => {
  const { client, transport } = await pair(t, (req, res) => req.url?.includes('stream') && res.writeHead(200, stream).write(frame(1)));
  const call = client.things.list();
  const reading = client.things.watch()[Symbol.asyncIterator]();
  await reading.next();
  await transport.close();
  await t.rejects(call, { code: 'unreachable' });
  await t.rejects(reading.next(), { code: 'unreachable' });
});
