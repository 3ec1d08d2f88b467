import { createRequire } from 'node:module';
import { Validator } from '@seriousme/openapi-schema-validator';
import joi from 'joi';
import t, { type Test } from 'tap';
import { kernelNames } from '../../../../kernel/core/host/socket-names.js';
import type { OpenApi } from '../../../../kernel/platform/http/docs/openapi.js';
import { sentFrames, takenFrames } from '../../../../kernel/platform/http/socket/kernel-frames.js';
import { echo, find, hello, json, member } from './deeds.js';
import { activate, type Deed, startWorld, type TestDoor, type World } from './world.js';

const rich: Record<string, Deed> = {
  'rich.get': {
    ...find,
    path: '/api/rich/{id}/things/{name}',
    who: 'admin',
    input: (j) =>
      j.object({
        id: j.number().integer().required(),
        name: j.string().required(),
        page: j.number().integer().min(1).max(200).default(1),
        above: j.number().greater(3).less(9),
        role: j.string().valid('admin', 'member').allow(null),
        tags: j.array().items(j.string()).single(),
        any: j.any(),
      }),
    answer: (j) =>
      j.object({
        counts: j.object().pattern(j.string(), j.number().integer()).required(),
        node: j.number().allow(null),
        either: j.alternatives(j.string(), j.number(), j.object({ deep: j.array() })).allow(null),
        list: j.array().items(j.object({ role: j.string().valid('x', 'y') })),
      }),
  },
  'rich.create': {
    ...echo,
    path: '/api/rich/{id}/things',
    status: 201,
    also: [202],
    idempotent: 'data',
    failures: ['too_hot'],
    scope: 'chat',
    query: ['force'],
    input: (j) => j.object({ id: j.number().required(), text: j.string().required(), force: j.boolean() }).or('text', 'force'),
  },
  'rich.toggle': { ...echo, path: '/api/rich/{id}/toggle', query: [], input: (j) => j.object({ id: j.number().required() }) },
  'rich.remove': { ...echo, method: 'DELETE', path: '/api/rich/{id}', query: [], input: (j) => j.object({ id: j.number().required() }) },
  'rich.follow': {
    summary: 'Follows',
    method: 'GET',
    path: '/api/rich/stream',
    who: 'member',
    kind: 'stream',
    input: (j) => j.object({ after: j.string() }),
    does: () => [],
  },
  'rich.hook': {
    ...echo,
    path: '/api/rich/hook',
    who: 'public',
    verbatim: true,
    query: ['from'],
    input: (j) => j.object({ from: j.string() }),
  },
  'rich.upload': { ...echo, path: '/api/rich/upload', kind: 'upload', query: [], input: (j) => j.object({ type: j.string().required() }) },
};
delete (rich['rich.remove'] as Partial<Deed>).answer;

async function world(t: Test, config = {}): Promise<World> {
  const made = await startWorld({ config });
  t.teardown(() => made.http.close(1_000));
  await made.serve('hello', ['/api/hello'], hello);
  await made.serve('rich', ['/api/rich'], rich);
  return made;
}

const documentOf = async ({ url }: World) => (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi;

t.test('the documentation modules are loaded on first use', async (t) => {
  const { cache } = createRequire(import.meta.url);
  const loaded = () =>
    ['hapi-swagger', '@hapi/inert', '@hapi/vision', 'swagger-ui-dist'].filter((name) =>
      Object.keys(cache).some((path) => path.includes(`/node_modules/${name}/`)),
    );
  const made = await world(t);
  await (await fetch(`${made.url}/api/hello/things/x`)).text();
  t.same(loaded(), []);
  await documentOf(made);
  t.ok(loaded().includes('hapi-swagger'));
  t.notOk(loaded().includes('@hapi/inert'));
});

t.test('the document is valid and describes every operation with its answers and failures', async (t) => {
  const made = await world(t);
  const document = await documentOf(made);
  t.same(await new Validator().validate(structuredClone(document) as never), { valid: true });
  t.same(made.lines, []);

  const { paths, components } = document;
  t.same(
    Object.entries(paths)
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
      .sort(),
    [
      'delete /api/hello/things/{name}',
      'delete /api/rich/{id}',
      'get /api/hello/broken',
      'get /api/hello/things/{name}',
      'get /api/rich/stream',
      'get /api/rich/{id}/things/{name}',
      'get /healthz',
      'get /metrics',
      'get /openapi.json',
      'get /readyz',
      'get /ws',
      'post /api/hello/echo',
      'post /api/rich/hook',
      'post /api/rich/upload',
      'post /api/rich/{id}/things',
      'post /api/rich/{id}/toggle',
    ],
  );
  const create = paths['/api/rich/{id}/things']?.post;
  t.match(create, {
    operationId: 'rich.create',
    summary: 'Gives back its input and who called',
    description: 'For members. A personal token needs the scope `chat`.',
    tags: ['rich'],
    parameters: [
      { name: 'id', in: 'path', required: true },
      { name: 'force', in: 'query', schema: { type: 'boolean' } },
      { name: 'Idempotency-Key', in: 'header' },
    ],
    requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/rich.create.input' } } } },
    responses: {
      201: { content: { 'application/json': { schema: { $ref: '#/components/schemas/rich.create.answer' } } } },
      202: { content: { 'application/json': { schema: { $ref: '#/components/schemas/rich.create.answer' } } } },
      400: { description: '`invalid_input`, `malformed_request`' },
      401: { description: '`invalid_token`, `unauthenticated`' },
      409: { description: '`idempotency_in_progress`, `idempotency_key_reused`, `too_hot`' },
      413: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
    },
  });
  t.match(components.schemas['rich.create.input'], { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] });
  t.match(components.schemas['rich.get.answer'], {
    properties: { counts: { additionalProperties: { type: 'integer' } }, node: { type: 'number', nullable: true } },
    required: ['counts'],
  });
  t.same(
    paths['/api/rich/{id}/things/{name}']?.get?.parameters?.map(({ name, schema }) => [name, schema]),
    [
      ['id', { type: 'integer' }],
      ['name', { type: 'string', minLength: 1 }],
      ['page', { type: 'integer', minimum: 1, maximum: 200, default: 1 }],
      ['above', { type: 'number', minimum: 3, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true }],
      ['role', { type: 'string', enum: ['admin', 'member', null], nullable: true }],
      ['tags', { type: 'array', items: { type: 'string', minLength: 1 } }],
      ['any', {}],
    ],
  );
  t.match(paths['/api/rich/{id}']?.delete?.responses, { 204: { description: 'No Content' } });
  t.notOk(paths['/api/rich/{id}']?.delete?.responses['204']?.content);
  t.notOk(paths['/api/rich/{id}/toggle']?.post?.requestBody);
  t.match(paths['/api/rich/stream']?.get?.responses, { 200: { content: { 'text/event-stream': { schema: { type: 'string' } } } } });
  t.match(paths['/api/rich/upload']?.post?.requestBody, {
    required: true,
    content: {
      'multipart/form-data': {
        schema: { properties: { file: { type: 'string', format: 'binary' }, type: { type: 'string' } }, required: ['type', 'file'] },
      },
    },
  });
});

t.test('only public operations need no token', async (t) => {
  const { paths, security, components } = await documentOf(await world(t));
  t.same(security, [{ jwt: [] }]);
  t.match(components.securitySchemes, { jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } });
  t.same(paths['/api/hello/broken']?.get?.security, []);
  t.same(paths['/healthz']?.get?.security, []);
  t.equal(paths['/api/hello/echo']?.post?.security, undefined);
});

const door: TestDoor = {
  id: 'talk.door',
  path: '/api/talk/door/{name}',
  methods: ['GET', 'POST'],
  summary: 'Speaks a protocol of its own',
  handle: () => new Response(),
};

t.test('operations and doors are listed under their subject, by default their extension, each with a unique id', async (t) => {
  const made = await world(t);
  const subject = { name: 'Small talk', description: 'About the weather.' };
  const deeds = {
    'talk.get': { ...find, subject, path: '/api/talk', input: (j) => j.object({}) },
    'talk.echo': { ...echo, path: '/api/talk/echo' },
  } satisfies Record<string, Deed>;
  await made.serve('talk', ['/api/talk'], deeds, [door, { ...door, id: 'talk.one', path: '/api/talk/one', methods: ['GET'], subject }]);
  const { paths, tags } = await documentOf(made);
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    path.startsWith('/api/talk') ? Object.values(methods).map(({ operationId, tags: [tag] = [] }) => [operationId, tag]) : [],
  );
  t.same(listed, [
    ['talk.get', 'Small talk'],
    ['talk.echo', 'talk'],
    ['talk.door.get', 'talk'],
    ['talk.door.post', 'talk'],
    ['talk.one', 'Small talk'],
  ]);
  t.same(
    tags.map(({ name }) => name),
    ['hello', 'rich', 'Server', 'Small talk', 'talk', 'WebSocket'],
  );
  t.same(tags[3], subject);
});

t.test('the first screen shows how to get a token, at the configured address', async (t) => {
  const curl = (address: string) => `curl -s ${address}/api/auth/login`;
  t.match((await documentOf(await world(t))).info.description, curl('http://127.0.0.1:8080'));
  t.match((await documentOf(await world(t, { base_url: 'https://work.example' }))).info.description, curl('https://work.example'));
});

t.test('an example stands at the parameters, the body and the answer', async (t) => {
  const made = await world(t);
  const example = { input: { id: 7, text: 'a', force: true }, answer: { id: 7 }, status: 202 };
  const operations = [
    { ...activate('shown', 'shown.create', { ...(rich['rich.create'] as Deed), path: '/api/shown/{id}' }), example: () => example },
  ];
  const cell = await made.http.buildCell({ extension: 'shown', version: '1.0.0', operations });
  const claims = new Map([['/api/shown', { kind: 'cell', extension: 'shown', cell } as const]]);
  made.http.publish({ generation: 2, claims, operations: new Map(), extensions: new Map() });
  const { post } = (await documentOf(made)).paths['/api/shown/{id}'] ?? {};
  t.match(post?.parameters, [
    { name: 'id', example: 7 },
    { name: 'force', example: true },
  ]);
  t.same(post?.requestBody?.content['application/json']?.example, { text: 'a' });
  t.same(post?.responses['202']?.content?.['application/json']?.example, { id: 7 });
  t.notOk(post?.responses['201']?.content?.['application/json']?.example);
});

t.test('the events of a stream are documented in its text and as schemas', async (t) => {
  const made = await world(t);
  const events: NonNullable<Deed['events']> = (j) => ({
    piece: { description: 'A piece.', data: j.object({ text: j.string().required(), last: j.boolean() }) },
  });
  await made.serve('live', ['/api/live'], { 'live.follow': { ...(rich['rich.follow'] as Deed), path: '/api/live', events } });
  const { get } = (await documentOf(made)).paths['/api/live'] ?? {};
  t.match(get?.description, '| `piece` | A piece. | `text`, `last?` |');
  t.match(get?.['x-events'], {
    piece: { description: 'A piece.', data: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
    revoked: { description: String },
  });
});

t.test('the frames of the socket are those of the kernel and of the extensions', async (t) => {
  const made = await world(t);
  const cell = await made.http.buildCell({
    ...{ extension: 'chatty', version: '1.0.0', operations: [] },
    socket: {
      pushed: (j) => ({ said: { description: 'Said.', to: ['talks'], data: j.object({ text: j.string().required() }) } }),
      frames: new Map([['say', { schema: (j) => j.object({ text: j.string().required() }).description('Says it.'), handler: () => {} }]]),
      topics: new Map([['talks', 'member']]),
    },
  });
  const claims = new Map([['/api/chatty', { kind: 'cell', extension: 'chatty', cell } as const]]);
  made.http.publish({ generation: 2, claims, operations: new Map(), extensions: new Map() });
  const { description, 'x-frames': frames } = (await documentOf(made)).paths['/ws']?.get ?? {};
  t.match(description, '| `said` | Said. To subscribers of `talks`. | `text` |');
  t.match(description, '| `say` | Says it. | `text` |');
  t.match(description, '| `talks` | members |');
  t.match(frames, {
    sent: { said: { to: ['talks'] }, hello: {} },
    taken: { say: {}, ping: {} },
    topics: { talks: 'members', log: 'administrators' },
  });
  const topics = new Set(kernelNames.topics);
  const sent = Object.entries(sentFrames(joi)).filter(([, { to }]) => !to.some((name) => topics.has(name)));
  const reserved = [...sent, ...Object.entries(takenFrames(joi))].map(([type]) => type);
  t.same([...new Set(reserved)].sort(), [...kernelNames.frames].sort(), 'the names that extensions may not use are described');
});

t.test('operations that take any bytes are documented', async (t) => {
  const { paths } = await documentOf(await world(t));
  const requestBody = { content: { '*/*': { schema: { type: 'string', format: 'binary' } } } };
  t.match(paths['/api/rich/hook']?.post, { requestBody, parameters: [{ name: 'from', in: 'query' }] });
});

t.test('the document always describes the loaded extensions', async (t) => {
  const made = await world(t);
  const pathsOf = async () => Object.keys((await documentOf(made)).paths).filter((path) => path.startsWith('/api'));
  t.ok((await pathsOf()).includes('/api/rich/stream'));
  made.remove('rich');
  t.same(
    (await pathsOf()).filter((path) => path.startsWith('/api/rich')),
    [],
  );
  t.same(
    Object.keys((await documentOf(made)).components.schemas).filter((name) => name.startsWith('rich')),
    [],
  );
  await made.serve('hello', ['/api/hello'], { 'hello.new': { ...find, path: '/api/hello/new', input: (j) => j.object({}) } });
  t.same(await pathsOf(), ['/api/hello/new']);
  made.disable('hello', 'disabled');
  t.same(await pathsOf(), []);
});

t.test('an extension that cannot be documented does not affect others', async (t) => {
  const made = await world(t);
  await made.serve('odd', ['/api/odd'], { 'odd.get': { ...find, path: '/api/odd', input: (j) => j.object({ when: j.date() }) } });
  const { paths } = await documentOf(made);
  t.notOk(paths['/api/odd']);
  t.ok(paths['/api/rich/stream']);
  t.match(made.lines, [{ level: 'error', message: /'odd'/ }]);
});

t.test('the document lists the requested server and the configured address', async (t) => {
  t.same((await documentOf(await world(t))).servers, [{ url: '/' }]);
  const { servers } = await documentOf(await world(t, { base_url: 'https://work.example' }));
  t.same(servers, [{ url: '/' }, { url: 'https://work.example' }]);
});

t.test('the page loads all assets from this server under a strict policy', async (t) => {
  const { url } = await world(t);
  const get = (path: string) => fetch(url + path, { redirect: 'manual' });
  const page = await get('/docs');
  t.equal(page.status, 200);
  t.match(page.headers.get('content-security-policy'), /script-src 'self';.*connect-src 'self'$/);
  t.match(Object.fromEntries(page.headers), { 'content-type': /^text\/html/, 'x-content-type-options': 'nosniff', 'x-request-id': /./ });
  const text = await page.text();
  t.notMatch(text, /https?:/);
  const assets = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, asset]) => `/${asset}`);
  t.equal(assets.length, 4);
  for (const asset of assets) t.equal((await get(asset)).status, 200, asset);
  t.match(await get('/docs/'), { status: 302 });
  for (const path of ['/docs/nothing', '/docs/ui/nothing.js', '/docs/ui/..%2fpackage.json', '/docs/ui/%2e%2e/%2e%2e/package.json']) {
    const missing = await get(path);
    t.match([missing.status, await missing.json()], [404, { code: 'not_found' }], path);
  }
  t.equal((await fetch(`${url}/docs`, { method: 'POST', headers: { ...json, ...member }, body: '{}' })).status, 405);
});
