import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import OpenAI from 'openai';
import t, { type Test } from 'tap';
import type { GuardOptions } from '../../../../kernel/platform/net/guard.js';
import { createFetch } from '../../../../kernel/platform/net/guarded-fetch.js';

/** A server on a free port of 127.0.0.1, or of another address of this machine. */
async function serve(
  t: Test,
  listener: RequestListener,
  address = '127.0.0.1',
): Promise<{ port: number; url: string; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    listener(request, response);
  });
  const port = await listen(t, server, address);
  return { port, url: `http://${address}:${port}`, seen };
}

async function listen(t: Test, server: Server | ReturnType<typeof createTcpServer>, address = '127.0.0.1'): Promise<number> {
  server.listen(0, address);
  await once(server, 'listening');
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function open(t: Test, options: Partial<GuardOptions> = {}) {
  const fetch = createFetch({ allow: [], ...options });
  t.teardown(() => fetch.close());
  return fetch;
}

/** A name service with these names only; what is asked is kept. */
function names(table: Record<string, string[]>) {
  const asked: string[] = [];
  const lookup = async (name: string) => {
    asked.push(name);
    return (table[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { lookup, asked };
}

const hello: RequestListener = (_request, response) => response.end('hello');
const refused = { code: 'fetch_address_refused', status: 400 };

t.test('a fetch returns status, headers and body of any answer, and its final URL', async (t) => {
  const { url, seen } = await serve(t, (request, response) => {
    response.writeHead(404, { 'x-kind': 'test', 'set-cookie': ['a=1', 'b=2'] });
    request.pipe(response);
  });
  const fetch = open(t, { allow: ['127.0.0.1'] });
  const answer = await fetch(`${url}/path?query=1`, { method: 'post', headers: { 'X-Given': 'yes', host: 'evil.example' }, body: 'sent' });
  t.match(answer, { status: 404, headers: { 'x-kind': 'test', 'set-cookie': 'a=1, b=2' }, url: `${url}/path?query=1` });
  t.equal(answer.body.toString(), 'sent');
  t.match(seen[0], { method: 'POST', url: '/path?query=1', headers: { 'x-given': 'yes', host: url.slice(7), 'user-agent': 'platform' } });
});

t.test('every spelling of non-public addresses is rejected', async (t) => {
  const fetch = open(t);
  const hosts = `
    127.0.0.1 127.255.0.1 0.0.0.0 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 100.100.100.200
    192.0.0.192 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 192.0.2.1 168.63.129.16
    2130706433 017700000001 0x7f000001 0x7f.1 127.1 0177.0.0.1 127.0.0.1. 0 ①②⑦.⓪.⓪.① %31%32%37.0.0.1
    [::1] [::] [fe80::1] [fc00::1] [fd00:ec2::254] [ff02::1] [fec0::1] [2001:db8::1] [4000::1]
    [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:a00:1] [::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::10.0.0.1]
    [64:ff9b:1::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::1] [0:0:0:0:0:ffff:7f00:0001]`;
  for (const host of hosts.trim().split(/\s+/)) await t.rejects(fetch(`http://${host}/`, { timeout_ms: 2_000 }), refused, host);
  await t.rejects(fetch('http://localhost:8081/'), refused, 'localhost, by the real resolver');
});

t.test('public addresses are allowed, also within IPv6', async (t) => {
  const { Guard } = await import('../../../../kernel/platform/net/guard.js');
  const guard = new Guard({ allow: [], own: () => [], lookup: names({}).lookup, interfaces: () => ['203.0.113.9', '2606:4700::9'] });
  for (const address of ['8.8.8.8', '1.1.1.1', '172.15.0.1', '172.32.0.1', '[2606:4700::1111]', '[::ffff:8.8.8.8]', '[64:ff9b::808:808]']) {
    await t.resolves(guard.resolve(address, 443), address);
  }
  await t.rejects(guard.resolve('[2606:4700::9]', 443), { ...refused, message: /this machine/ });
});

t.test('URLs that are invalid, not http or carry credentials are rejected, and unsendable requests too', async (t) => {
  const fetch = open(t);
  const bad = { code: 'fetch_bad_url', status: 400 };
  const urls = [
    '',
    'hello',
    '/path',
    'file:///etc/passwd',
    'ftp://example.org',
    'data:text/plain,x',
    'javascript:1',
    'http://',
    'http://[::1',
    'http://a:b@example.org',
  ];
  for (const url of [...urls, 'http://token@example.org', `http://example.org/${'x'.repeat(8_192)}`, 'http://256.256.256.256/']) {
    await t.rejects(fetch(url), bad, url.slice(0, 40));
  }
  await t.rejects(fetch('http://example.org', { headers: { 'x-a': 'b\r\nx-c: d' } }), bad);
  const surplus = { method: 'HEAD', body: 'x' };
  await t.rejects(fetch('http://example.org', surplus), bad);
});

t.test('a name is rejected if any of its addresses is, without revealing the address', async (t) => {
  const { url, port, seen } = await serve(t, hello);
  const { lookup } = names({ 'two.example': ['93.184.216.34', '127.0.0.1'], 'six.example': ['::ffff:127.0.0.1'], 'none.example': [] });
  const fetch = open(t, { lookup });
  await t.rejects(fetch(`http://two.example:${port}/`), { ...refused, message: /'two\.example' \(loopback\)/ });
  await t.rejects(fetch(`http://TWO.example.:${port}/`), refused);
  await t.rejects(fetch(`http://six.example:${port}/`), refused);
  await t.rejects(fetch(url), refused);
  await t.rejects(fetch('http://none.example/'), { code: 'fetch_failed', status: 502 });
  await t.rejects(fetch('http://unknown.invalid/', { timeout_ms: 3_000 }), { code: 'fetch_failed', status: 502 });
  t.same(seen, []);
});

t.test('a name is resolved once, so a change between check and connection has no effect', async (t) => {
  const { port, seen } = await serve(t, hello);
  const answers = ['192.0.2.1', '127.0.0.1', '192.0.2.1'];
  const lookup = async () => [{ address: answers.shift() ?? '', family: 4 }];
  const fetch = open(t, { allow: ['192.0.2.1'], lookup });
  await t.rejects(fetch(`http://rebind.example:${port}/`, { timeout_ms: 500 }), { code: /fetch_failed|fetch_timeout/ });
  t.equal(answers.length, 2);
  await t.rejects(fetch(`http://rebind.example:${port}/`, { timeout_ms: 500 }), refused);
  t.same(seen, []);
});

t.test('the connection goes to the checked address with the name of the URL', async (t) => {
  const { port, seen } = await serve(t, hello);
  const { lookup, asked } = names({ 'inside.example': ['127.0.0.1'] });
  const fetch = open(t, { allow: ['inside.example'], lookup });
  t.equal((await fetch(`http://inside.example:${port}/`)).body.toString(), 'hello');
  t.equal(seen[0]?.headers.host, `inside.example:${port}`);
  t.same(asked, ['inside.example']);
});

t.test('the next address is tried if the first does not answer', async (t) => {
  const { port } = await serve(t, hello);
  const { lookup } = names({ 'inside.example': ['127.0.0.2', '127.0.0.1'] });
  const fetch = open(t, { allow: ['inside.example'], lookup });
  t.equal((await fetch(`http://inside.example:${port}/`)).status, 200);
});

t.test('TLS sends and verifies the host name of the URL', async (t) => {
  const asked: string[] = [];
  const server = createSecureServer({
    SNICallback: (name, done) => {
      asked.push(name);
      done(new Error('planted'));
    },
  });
  const port = await listen(t, server);
  const { lookup } = names({ 'inside.example': ['127.0.0.1'] });
  const fetch = open(t, { allow: ['inside.example'], lookup });
  await t.rejects(fetch(`https://inside.example:${port}/`), { code: 'fetch_failed', status: 502 });
  t.same(asked, ['inside.example']);
});

t.test('configured ranges, addresses and hosts are allowed, with or without a port', async (t) => {
  const { port, url } = await serve(t, hello);
  const { lookup } = names({ 'inside.example': ['127.0.0.1'] });
  const named = `http://inside.example:${port}/`;
  for (const allow of ['127.0.0.0/8', '127.0.0.1', `127.0.0.1:${port}`, '::ffff:127.0.0.1'])
    t.equal((await open(t, { allow: [allow] })(url)).status, 200, allow);
  for (const allow of ['inside.example', `Inside.Example:${port}`, '127.0.0.0/8'])
    t.equal((await open(t, { allow: [allow], lookup })(named)).status, 200, allow);
  for (const allow of ['127.0.0.1:1', '10.0.0.0/8', 'fc00::/7', 'inside.example'])
    await t.rejects(open(t, { allow: [allow] })(url), refused, allow);
  for (const allow of ['example', 'other.example', 'inside.example:1'])
    await t.rejects(open(t, { allow: [allow], lookup })(named), refused, allow);
});

t.test('the platform itself is unreachable unless named with its port', async (t) => {
  const { port, url } = await serve(t, hello);
  for (const own of [`127.0.0.1:${port}`, `0.0.0.0:${port}`, `[::]:${port}`, `localhost:${port}`]) {
    await t.rejects(open(t, { allow: ['127.0.0.0/8'], own: () => [own] })(url), { ...refused, message: /the platform itself/ }, own);
    t.equal((await open(t, { allow: [`127.0.0.1:${port}`], own: () => [own] })(url)).status, 200);
  }
  t.equal((await open(t, { allow: ['127.0.0.0/8'], own: () => ['127.0.0.1:1', `10.0.0.1:${port}`] })(url)).status, 200);
});

t.test('each redirect is checked again', async (t) => {
  const inside = await serve(t, hello, '127.0.0.2');
  const targets: Record<string, string> = {
    '/inside': `${inside.url}/`,
    '/file': 'file:///etc/passwd',
    '/credentials': 'http://a:b@127.0.0.1/',
    '/nowhere': 'http://[',
  };
  const { url } = await serve(
    t,
    (request, response) => void response.writeHead(302, { location: targets[request.url ?? ''] ?? '/loop' }).end(),
  );
  const fetch = open(t, { allow: ['127.0.0.1'] });
  await t.rejects(fetch(`${url}/inside`), refused);
  t.same(inside.seen, []);
  for (const path of ['/file', '/credentials', '/nowhere']) await t.rejects(fetch(url + path), { code: 'fetch_bad_url' }, path);
  await t.rejects(fetch(`${url}/loop`), { code: 'fetch_failed', message: /more than 5 times/ });
  await t.rejects(fetch(`${url}/loop`, { max_redirects: 0 }), { code: 'fetch_failed', message: /more than 0 times/ });
});

t.test('a redirect is returned instead of followed if requested', async (t) => {
  const { url, seen } = await serve(t, (_request, response) => void response.writeHead(307, { location: '/next' }).end('moved'));
  const fetch = open(t, { allow: ['127.0.0.1'] });
  const answer = await fetch(url, { redirect: 'manual' });
  t.match({ ...answer, body: answer.body.toString() }, { status: 307, headers: { location: '/next' }, body: 'moved' });
  t.equal(seen.length, 1);
});

t.test('a redirect keeps or changes the method by the standard, and secrets stay with their origin', async (t) => {
  const other = await serve(t, hello);
  const { url, seen } = await serve(t, (request, response) => {
    const [, status, where] = (request.url ?? '').split('/');
    if (!status) return void response.end('here');
    request.resume();
    return void response.writeHead(Number(status), { location: where === 'other' ? `${other.url}/` : '/' }).end();
  });
  const fetch = open(t, { allow: ['127.0.0.1'] });
  const request = {
    headers: { authorization: 'Bearer secret', cookie: 'a=b', 'content-type': 'text/plain', 'x-kept': 'yes' },
    body: 'sent',
  };
  const outcomes = {
    '301 POST': 'GET',
    '302 POST': 'GET',
    '303 POST': 'GET',
    '307 POST': 'POST',
    '308 POST': 'POST',
    '302 PUT': 'PUT',
    '303 PUT': 'GET',
  };
  for (const [given, expected] of Object.entries(outcomes)) {
    const [status, method] = given.split(' ') as [string, string];
    const answer = await fetch(`${url}/${status}/here`, { ...request, method });
    t.equal(answer.url, `${url}/`);
    const kept = {
      authorization: 'Bearer secret',
      cookie: 'a=b',
      'x-kept': 'yes',
      'content-type': expected === 'GET' ? undefined : 'text/plain',
    };
    t.match(seen.at(-1), { method: expected, headers: kept }, given);
    await fetch(`${url}/${status}/other`, { ...request, method });
    t.match(
      other.seen.at(-1),
      { method: expected, headers: { authorization: undefined, cookie: undefined, 'x-kept': undefined, 'content-type': undefined } },
      `${given} to another origin`,
    );
  }
});

t.test('resolving, connecting, answering and the body have time limits', async (t) => {
  const silent = await listen(
    t,
    createTcpServer(() => {}),
  );
  const slow = await serve(t, (_request, response) => {
    const timer = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(timer));
  });
  const late = (): Promise<never[]> => new Promise((resolve) => setTimeout(resolve, 500, []));
  const fetch = open(t, { allow: ['127.0.0.1'], lookup: late });
  const timeout = { code: 'fetch_timeout', status: 502, message: /took longer than 200 ms/ };
  const start = performance.now();
  for (const url of [`http://127.0.0.1:${silent}/`, slow.url, 'http://slow.example/'])
    await t.rejects(fetch(url, { timeout_ms: 200 }), timeout, url);
  t.ok(performance.now() - start < 20_000);
});

t.test("a fetch ends with its caller's signal and its reason", async (t) => {
  const { url, seen } = await serve(t, () => {});
  const fetch = open(t, { allow: ['127.0.0.1'] });
  const stop = new AbortController();
  const call = fetch(url, { signal: stop.signal });
  while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort(new Error('no longer wanted'));
  await t.rejects(call, { message: 'no longer wanted' });
  await t.rejects(fetch(url, { signal: AbortSignal.abort(new Error('never wanted')) }), { message: 'never wanted' });
});

t.test('the body is limited after decoding', async (t) => {
  const plain = Buffer.alloc(50_000_000);
  const bodies: Record<string, Buffer> = { gzip: gzipSync(plain), deflate: deflateSync(plain), br: brotliCompressSync(plain) };
  let sent = 0;
  const { url } = await serve(t, (request, response) => {
    const encoding = (request.url ?? '').slice(1);
    const body = bodies[encoding];
    if (body) return void response.writeHead(200, { 'content-encoding': encoding }).end(body);
    const more = (): void => {
      do sent += 65_536;
      while (!response.destroyed && response.write(plain.subarray(0, 65_536)));
    };
    response.on('drain', more);
    return more();
  });
  const fetch = open(t, { allow: ['127.0.0.1'] });
  const before = process.memoryUsage().rss;
  for (const path of ['endless', 'gzip', 'deflate', 'br']) {
    await t.rejects(fetch(`${url}/${path}`, { max_bytes: 1_000_000 }), { code: 'fetch_too_large', status: 502 }, path);
  }
  t.ok(sent < 40_000_000, `the server was stopped after ${sent} bytes`);
  t.ok(process.memoryUsage().rss - before < 100_000_000);
});

t.test('compressed responses are decoded, and the largest allowed arrives whole', async (t) => {
  const text = 'hello '.repeat(10_000);
  const { url } = await serve(t, (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text)));
  const answer = await open(t, { allow: ['127.0.0.1'] })(url, { max_bytes: text.length });
  t.equal(answer.body.toString(), text);
  t.equal(answer.headers['content-encoding'], undefined);
});

t.test('a truncated, refused or invalid response is a failure with a sentence and without the path', async (t) => {
  const garbage = await listen(
    t,
    createTcpServer((socket) => socket.end('garbage')),
  );
  const broken = await serve(t, (_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setTimeout(() => response.destroy(), 20);
  });
  const gone = createServer();
  const closed = await listen(t, gone);
  gone.close();
  const fetch = open(t, { allow: ['127.0.0.1'] });
  for (const url of [`http://127.0.0.1:${garbage}`, broken.url, `http://127.0.0.1:${closed}`]) {
    await t.rejects(
      fetch(`${url}/secret-path`),
      { code: 'fetch_failed', status: 502, message: /^GET http:\/\/127\.0\.0\.1:\d+ failed: (?!.*secret)/ },
      url,
    );
  }
});

t.test('the standard fetch streams allowed addresses and refuses others', async (t) => {
  const { url, port } = await serve(t, (request, response) => {
    if (request.url === '/redirect') return void response.writeHead(302, { location: 'http://127.0.0.2:8081/' }).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const words = ['one ', 'two ', 'three'];
    const chunks = words.map((content) => ({
      id: '1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: { content } }],
    }));
    for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    return void response.end('data: [DONE]\n\n');
  });
  const fetch = open(t);
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'key', maxRetries: 0, fetch: fetch.web([`127.0.0.1:${port}`]) });
  const stream = await client.chat.completions.create({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] });
  const words: unknown[] = [];
  for await (const chunk of stream) words.push(chunk.choices[0]?.delta.content);
  t.same(words, ['one ', 'two ', 'three']);
  await t.rejects(fetch.web()(url), { cause: refused });
  await t.rejects(fetch.web([`127.0.0.1:${port}`])(`${url}/redirect`), { cause: refused });
  await t.rejects(fetch.web()('file:///etc/passwd'), { code: 'fetch_bad_url' });
  await t.rejects(fetch(url), refused, 'the allow list of one fetch does not apply to others');
});

t.test('the HTTP client is not loaded before the first call', async (t) => {
  const { spawnSync } = await import('node:child_process');
  const script = `
    import { createFetch } from ${JSON.stringify(new URL('../../../../kernel/platform/net/guarded-fetch.js', import.meta.url).href)};
    import Module from 'node:module';
    const fetch = createFetch({ allow: [] });
    fetch.web(); await fetch.close();
    console.log(Object.keys(Module._cache).filter((file) => file.includes('/undici/')).length);`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  t.equal(run.stdout, '0\n', run.stderr);
});
