import { once } from 'node:events';
import t, { type Test } from 'tap';
import { hello, json, member } from './deeds.js';
import { ask, firstAnswer, open } from './raw.js';
import { following, Source } from './source.js';
import { type Deed, startWorld, type TestDoor, type World } from './world.js';

const path = '/api/page';
const bytes = Buffer.from('of an image');

const deeds: Record<string, Deed> = {
  ...hello,
  'page.tagged': {
    summary: 'Tagged',
    method: 'GET',
    path: `${path}/tagged`,
    who: 'member',
    etag: true,
    answer: (j) => j.object(),
    does: () => ({}),
  },
  'page.file': {
    summary: 'A file',
    method: 'GET',
    path: `${path}/file`,
    who: 'member',
    kind: 'file',
    answer: (j) => j.any(),
    does: () => ({ mime_type: 'image/svg+xml', bytes, etag: 'abc' }),
  },
  'page.follow': { ...following(`${path}/stream`, new Source()), does: async function* () {} },
  'page.upload': { summary: 'Takes a file', method: 'POST', path: `${path}/upload`, who: 'member', kind: 'upload', does: () => undefined },
  'page.hook': { summary: 'Takes what comes', method: 'POST', path: `${path}/hook`, who: 'public', verbatim: true, does: () => undefined },
};

const doors: readonly TestDoor[] = [
  {
    id: 'own.door',
    summary: 'Streams in its own words',
    path: `${path}/door`,
    methods: ['POST'],
    handle: async () =>
      new Response('data: 1\n\n', { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' } }),
  },
];

/** `gone` is disabled; `socket` is a path of `/ws` that nobody serves. */
async function world(t: Test, config: object = {}): Promise<World> {
  const made = await startWorld({ config });
  t.teardown(() => made.http.close(1_000));
  await made.serve('page', [path, '/api/hello'], deeds, doors);
  await made.serve('gone', ['/api/gone'], {});
  made.disable('gone', 'it was disabled');
  return made;
}

interface Asked {
  status: number;
  path: string;
  init?: { method?: string; headers?: Record<string, string>; body?: string };
}

const post = (body: string, headers: Record<string, string> = { ...member, ...json }): Asked['init'] & object => ({
  method: 'POST',
  headers,
  body,
});

/** Each kind of answer that there is, but for those that end the connection. */
const kinds: Readonly<Record<string, Asked>> = {
  health: { status: 200, path: '/healthz' },
  readiness: { status: 200, path: '/readyz' },
  figures: { status: 200, path: '/metrics' },
  'the document': { status: 200, path: '/openapi.json' },
  'a page': { status: 200, path: '/docs' },
  'the address of a page': { status: 302, path: '/docs/' },
  'a script of a page': { status: 200, path: '/docs/start.js' },
  'a file of a page': { status: 200, path: '/docs/ui/swagger-ui.css' },
  'a file that a page has not': { status: 404, path: '/docs/ui/package.json.map' },
  'an answer': { status: 200, path: '/api/hello/things/a' },
  'an answer to HEAD': { status: 200, path: '/api/hello/things/a', init: { method: 'HEAD' } },
  'an answer of an etag': { status: 200, path: `${path}/tagged`, init: { headers: member } },
  bytes: { status: 200, path: `${path}/file`, init: { headers: member } },
  'bytes that the client has': { status: 304, path: `${path}/file`, init: { headers: { ...member, 'if-none-match': '"abc"' } } },
  'a stream': { status: 200, path: `${path}/stream`, init: { headers: member } },
  'a stream through a door': { status: 200, path: `${path}/door`, init: { method: 'POST', headers: member } },
  nothing: { status: 204, path: `${path}/hook`, init: post('x', {}) },
  'a wrong input': { status: 400, path: '/api/hello/echo', init: post('{"count":"x"}') },
  'no token': { status: 401, path: '/api/hello/echo', init: post('{}', json) },
  'no token at a door': { status: 401, path: `${path}/door`, init: { method: 'POST' } },
  'no path': { status: 404, path: '/nope' },
  'no path of an extension': { status: 404, path: '/api/hello/nope' },
  'a wrong method': { status: 405, path: '/api/hello/echo' },
  'a wrong method of the kernel': { status: 405, path: '/healthz', init: { method: 'DELETE' } },
  'a wrong method of a page': { status: 405, path: '/docs', init: { method: 'DELETE' } },
  'too large a body': { status: 413, path: '/api/hello/echo', init: post(`{"text":"${'x'.repeat(2 ** 20)}"}`) },
  'a wrong type': { status: 415, path: '/api/hello/echo', init: post('x', { ...member, 'content-type': 'text/plain' }) },
  'a wrong type of an upload': { status: 415, path: `${path}/upload`, init: post('x', { ...member, 'content-type': 'text/plain' }) },
  'a bug': { status: 500, path: '/api/hello/broken' },
  'an extension that is not there': { status: 503, path: '/api/gone/a' },
};

/** Those that are written past Node's own answers, and end the connection. */
const bare: Readonly<Record<string, [status: number, bytes: string]>> = {
  'no HTTP': [400, 'GARBAGE\r\n\r\n'],
  'no host': [400, 'GET / HTTP/1.1\r\n\r\n'],
  'too large a head': [431, `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`],
  'a tunnel': [405, 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  'a socket that is refused': [404, 'GET /nope HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  'an unknown expectation': [400, 'GET / HTTP/1.1\r\nHost: x\r\nExpect: x\r\nConnection: close\r\n\r\n'],
};

const policy = "default-src 'none'; frame-ancestors 'none'";
/** Swagger UI needs scripts, styles and images of ours, and to ask. */
const pagePolicy = /^default-src 'none'; .*frame-ancestors 'none'; connect-src 'self'$/;

const onAll = {
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-instance': 'here',
  'x-request-id': /^.{8,}$/,
};

/** Headers that reveal the machine, or give access to others. */
const onNone = ['server', 'x-powered-by', 'via', 'set-cookie', 'strict-transport-security', 'x-xss-protection'];

/** How caches may treat it: what somebody needs a token for is kept nowhere, or asked for again by its own client. */
function cacheOf(name: string): string {
  if (/etag|^bytes/.test(name)) return 'private, no-cache';
  if (/stream/.test(name)) return 'no-store, no-transform';
  if (name === 'a file of a page') return 'max-age=3600, must-revalidate, public';
  return ['a page', 'the address of a page', 'a script of a page'].includes(name) ? 'no-cache' : 'no-store';
}

function assertHeaders(t: Test, name: string, headers: Headers): void {
  const found = Object.fromEntries(headers);
  t.match(found, onAll, name);
  const wanted = name === 'a page' ? pagePolicy : name.startsWith('bytes') ? `${policy}, sandbox` : policy;
  t.match(found, { 'content-security-policy': wanted }, name);
  t.match(found, { 'cache-control': cacheOf(name) }, name);
  t.same(
    Object.keys(found).filter((header) => onNone.includes(header) || header.startsWith('access-control-')),
    [],
    name,
  );
}

/** The headers of a raw answer. */
function headersOf(head: string): Headers {
  const lines = head.split('\r\n').slice(1);
  return new Headers(lines.map((line) => line.split(/: (.*)/, 2) as [string, string]));
}

t.test('every kind of answer has security and caching headers and reveals nothing of the machine', async (t) => {
  const { url, port } = await world(t);
  for (const [name, { status, path, init }] of Object.entries(kinds)) {
    const answer = await fetch(url + path, { redirect: 'manual', ...init });
    await answer.text();
    t.equal(answer.status, status, name);
    assertHeaders(t, name, answer.headers);
  }
  for (const [name, [status, sent]] of Object.entries(bare)) {
    const answer = await ask({ port }, sent);
    t.equal(answer.status, status, name);
    assertHeaders(t, name, headersOf(answer.head));
  }
});

t.test('rate-limited and shutdown answers have the same headers', async (t) => {
  const limited = await world(t, { limits: { requests_per_minute: 1, costly_per_minute: 0 } });
  const get = () => fetch(`${limited.url}${path}/tagged`, { headers: member });
  await get();
  const refused = await get();
  t.equal(refused.status, 429);
  assertHeaders(t, 'too many', refused.headers);
  const stopping = await world(t);
  const socket = open({ port: stopping.port });
  t.teardown(() => socket.destroy());
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  void stopping.http.drain();
  socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
  const [last] = (await once(socket, 'data')) as [Buffer];
  const { status, head } = firstAnswer(last.toString());
  t.equal(status, 503);
  assertHeaders(t, 'the last answer', headersOf(head));
});

t.test('HSTS is sent on every kind of answer if the public address is https', async (t) => {
  const { url, port } = await world(t, { base_url: 'https://work.example' });
  for (const [name, { path, init }] of Object.entries(kinds)) {
    const answer = await fetch(url + path, { redirect: 'manual', ...init });
    await answer.text();
    t.equal(answer.headers.get('strict-transport-security'), 'max-age=15768000', name);
  }
  for (const [name, [, sent]] of Object.entries(bare))
    t.match((await ask({ port }, sent)).head, /^Strict-Transport-Security: max-age=15768000\r?$/m, name);
});

const ours = 'https://pages.example';
const origins = { ours, another: 'https://evil.example', 'a part of ours': 'https://pages.example.evil.example', 'no page': 'null' };
const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };

/** Returns the CORS headers for a page of an origin. */
async function told(url: string, { path, init }: Asked, origin: string): Promise<string | null> {
  const answer = await fetch(url + path, { redirect: 'manual', ...init, headers: { ...init?.headers, origin, cookie: 'a=b' } });
  await answer.text();
  if (answer.headers.has('access-control-allow-credentials')) throw new Error('Credentials are allowed');
  return answer.headers.get('access-control-allow-origin');
}

t.test('the CORS headers are set on every answer, for each origin and never with credentials', async (t) => {
  const configured: [cors_origins: string[], allowed: Record<keyof typeof origins, string | null>][] = [
    [[], { ours: null, another: null, 'a part of ours': null, 'no page': null }],
    [[ours], { ours, another: null, 'a part of ours': null, 'no page': null }],
    [['*'], { ours: '*', another: '*', 'a part of ours': '*', 'no page': '*' }],
  ];
  for (const [cors_origins, allowed] of configured) {
    const { url } = await world(t, { cors_origins });
    for (const [name, kind] of Object.entries(kinds)) {
      for (const whose of ['ours', 'another'] as const)
        t.equal(await told(url, kind, origins[whose]), allowed[whose], `${name}, ${whose}, of [${cors_origins.join()}]`);
    }
    for (const [whose, origin] of Object.entries(origins)) {
      const wanted = allowed[whose as keyof typeof origins];
      for (const path of ['/api/hello/echo', '/nope', '/docs', doors[0]?.path as string]) {
        const question = { status: 204, path, init: { method: 'OPTIONS', headers: preflight } };
        t.equal(await told(url, question, origin), wanted, `the preflight for ${path}, ${whose}, of [${cors_origins.join()}]`);
      }
    }
  }
});

t.test('a preflight request is answered completely and varies by origin', async (t) => {
  const { url } = await world(t, { cors_origins: [ours] });
  const asked = await fetch(`${url}/api/hello/echo`, { method: 'OPTIONS', headers: { origin: ours, ...preflight } });
  t.equal(asked.status, 204);
  t.match(Object.fromEntries(asked.headers), {
    'access-control-allow-methods': 'GET, POST, PUT, DELETE',
    'access-control-allow-headers': /^Authorization, Content-Type, /,
    'access-control-max-age': '600',
    vary: 'origin',
  });
  const allowed = await fetch(`${url}/api/hello/things/a`, { headers: { origin: ours } });
  t.equal(
    allowed.headers.get('access-control-expose-headers'),
    'X-Request-Id, X-Instance, X-Ignored-Fields, Preference-Applied, Retry-After, ETag',
  );
  const foreign = await fetch(`${url}/api/hello/things/a`, { headers: { origin: origins.another } });
  t.equal(foreign.headers.get('vary'), 'origin', 'the headers are set even if no origin is allowed');
  const own = await fetch(`${url}/api/hello/echo`, { method: 'OPTIONS', headers: { origin: ours } });
  t.equal(own.status, 405, 'an OPTIONS request without preflight headers is an ordinary request');
});
