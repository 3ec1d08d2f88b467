import t from 'tap';
import { parseForeignManifest } from '../../../../kernel/core/host/foreign-manifest.js';
import { parseManifest } from '../../../../kernel/core/host/manifest.js';

const good = { id: 'hello', name: 'Hello', type: 'plugin', version: '1.0.0', description: 'Greets.', author: 'test' };

t.test('a manifest is parsed, with the default for its bundle', async (t) => {
  t.same(parseManifest(JSON.stringify(good)), { ...good, main: 'index.cjs' });
});

const wrong: [string, object][] = [
  ['id', { id: 'Hello!' }],
  ['id', { id: '../up' }],
  ['version', { version: '1.0' }],
  ['version', { version: '1.0.0\n' }],
  ['version', { version: 'v1.0.0' }],
  ['type', { type: 'theme' }],
  ['claims.0', { claims: ['api/x'] }],
  ['claims.0', { claims: ['/api/../x y'] }],
  ['dependencies.members', { dependencies: { members: 'newest' } }],
  ['engines.platform', { engines: { platform: 'soon' } }],
  ['contributes.operations', { contributes: { operations: [] } }],
  ['contributes.operations', { contributes: { operations: { 'hello.greet': { summary: 'Greets.', method: 'GET' } } } }],
  ['contributes.operations', { contributes: { operations: { 'hello.greet': null } } }],
  ['contributes.commands', { contributes: { commands: [{ operation: 'hello.greet', command: '' }] } }],
];

for (const [path, change] of wrong) {
  t.test(`${JSON.stringify(change)} is rejected with its path`, async (t) => {
    t.throws(() => parseManifest(JSON.stringify({ ...good, ...change })), { code: 'manifest_invalid', status: 400, details: [{ path }] });
  });
}

t.test('rejects text that is not JSON', async (t) => {
  t.throws(() => parseManifest('{'), { code: 'manifest_invalid', message: 'manifest.json is not valid JSON' });
});

const operation = {
  summary: 'Greets.',
  method: 'GET',
  path: '/api/x/hello/{name}',
  who: 'member',
  kind: 'call',
  input: { type: 'object', properties: { name: { type: 'string', maxLength: 40 } }, required: ['name'] },
  status: 200,
  tool: true,
};

const whole = {
  ...good,
  license: 'MIT',
  category: 'office',
  tags: ['greetings', 'c++'],
  homepage: 'https://example.com/hello',
  readme: 'docs/README.md',
  main: 'dist/index.cjs',
  claims: ['/api/x/hello'],
  dependencies: { members: '^0.1.0' },
  engines: { platform: '>=0.1.0' },
  permissions: {
    operations: ['members.list'],
    events: ['members.deleted'],
    network: ['api.example.com', '*.example.com:8443', 'example.net:*'],
    storage: true,
    env: ['ACME_KEY'],
    public_routes: false,
  },
  config: {
    type: 'object',
    properties: {
      greeting: { type: 'string' },
      key: { type: 'string', writeOnly: true },
      password: { type: 'string', format: 'password' },
    },
  },
  limits: { memory_mb: 128, call_timeout_ms: 5000 },
  contributes: {
    operations: {
      'hello.greet': operation,
      'hello.all': { ...operation, path: '/api/x/hello/all', input: { type: 'object', properties: {} } },
    },
    commands: [{ operation: 'hello.greet', command: 'greet', arguments: ['name'] }],
    tools: ['hello.greet', 'hello.all'],
    actions: [],
    topics: [{ name: 'hello.greetings', readers: 'member' }],
    channels: ['hello.pigeon'],
    panels: [
      {
        title: 'Greetings',
        operation: 'hello.all',
        columns: ['greeting'],
        refresh_s: 10,
        details: 'hello.greet',
        actions: [{ key: 'n', label: 'greet', operation: 'hello.greet', of: 'list', shows: true, confirm: 'Greet?' }],
        remove: { operation: 'hello.greet', confirm: 'Remove it?' },
      },
    ],
  },
};

const foreign = (change: object, of: object = good) => parseForeignManifest(JSON.stringify({ ...of, ...change }));
const contributing = (change: object, id = 'hello.greet') => ({ contributes: { operations: { [id]: { ...operation, ...change } } } });

t.test("reads a third party's manifest with all its fields", async (t) => {
  t.strictSame(foreign({}, whole), whole);
});

t.test('a checked third-party manifest is parsed again unchanged', async (t) => {
  t.strictSame(parseManifest(JSON.stringify(whole)), whole);
});

t.test('an operation declares its audience', async (t) => {
  for (const change of [{ audience: 'members' }, { audience: 'caller' }, { audience: 'admin' }, { who: 'admin', audience: 'admin' }])
    t.match(foreign(contributing(change)), { contributes: { operations: { 'hello.greet': change } } });
});

t.test('a plugin claims its own paths and a skill none, and unknown keys are dropped', async (t) => {
  t.strictSame(foreign({ $schema: 'x', contributors: [] }), { ...good, main: 'index.cjs', claims: ['/api/x/hello'] });
  t.strictSame(foreign({ type: 'skill', main: 'x' }), { ...good, type: 'skill' });
});

const operations = {
  'hello.greet': operation,
  'hello.all': { ...operation, path: '/api/x/hello/all', input: { type: 'object', properties: {} } },
  'hello.stream': { ...operation, path: '/api/x/hello/stream', kind: 'stream' },
};
const panels = (change: object) => ({ contributes: { operations, panels: [{ title: 'a', operation: 'hello.all', ...change }] } });

const flags = (flags: object, properties: object) => ({
  contributes: {
    operations: { 'hello.greet': { ...operation, path: '/api/x/hello', input: { type: 'object', properties } } },
    commands: [{ operation: 'hello.greet', command: 'greet', flags }],
  },
});

const refused: [path: string, change: object][] = [
  ['claims.0', { claims: ['/api/members'] }],
  ['contributes.operations.hello.greet.mcp', contributing({ tool: false, mcp: true })],
  ['contributes.operations.hello.greet.audience', contributing({ audience: 'everyone' })],
  ['contributes.operations.hello.greet.audience', contributing({ who: 'admin', audience: 'members' })],
  ['contributes.operations.hello.greet.audience', contributing({ who: 'admin', audience: 'caller' })],
  ['claims', { claims: ['/api/x/hello', '/api/x/hello'] }],
  ['required', { required: true }],
  ['requires', { requires: ['openai'] }],
  ['name', { name: 'Hello\u001B[2J' }],
  ['name', { name: 'Hello\nthere' }],
  ['description', { description: 'turned \u202E round' }],
  ['description', { description: 'seen by models alone: \u{E0041}' }],
  ['author', { author: '\u009B31m' }],
  ['description', { description: 'x'.repeat(501) }],
  ['category', { category: 'Office Work' }],
  ['tags.0', { tags: ['a,b'] }],
  ['tags', { tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }],
  ['homepage', { homepage: 'javascript:alert(1)' }],
  ['version', { version: 1 }],
  ['permissions.netwrok', { permissions: { netwrok: [] } }],
  ['permissions.storage', { permissions: { storage: 'true' } }],
  ['permissions.network.0', { permissions: { network: ['*'] } }],
  ['permissions.network.0', { permissions: { network: ['https://example.com/'] } }],
  ['permissions.env.0', { permissions: { env: ['PLATFORM_SECRET_KEY'] } }],
  ['permissions.env.0', { permissions: { env: ['NODE_OPTIONS'] } }],
  ['permissions.operations.0', { permissions: { operations: ['*'] } }],
  ['limits.memory_mb', { limits: { memory_mb: 1024 } }],
  ['limits.call_timeout_ms', { limits: { call_timeout_ms: 1 } }],
  ['engines.node', { engines: { node: '>=20' } }],
  ['dependencies.members', { dependencies: { members: '1 '.repeat(101) } }],
  ['dependencies.Members', { dependencies: { Members: '^1.0.0' } }],
  ['config', { config: { type: 'object', properties: { a: { $ref: '#' } } } }],
  ['config', { config: { type: 'object', properties: { a: { type: 'string', writeOnly: 'yes' } } } }],
  ['config', { config: { type: 'object', properties: { a: 'text' } } }],
  ['config', { config: { type: 'array' } }],
  ['contributes.routes', { contributes: { routes: [] } }],
  ['contributes', { type: 'skill', contributes: { tools: [] } }],
  ['contributes.operations.members.list', contributing({}, 'members.list')],
  ['contributes.operations.hello.greet.path', contributing({ path: '/api/members', input: { type: 'object' } })],
  ['contributes.operations.hello.greet.path', contributing({ path: '/api/x/hello/../members', input: { type: 'object' } })],
  ['contributes.operations.hello.greet.path', contributing({ path: '/api/x/hello2', input: { type: 'object' } })],
  ['contributes.operations.hello.greet.input', contributing({ path: '/api/x/hello/{id}' })],
  ['contributes.operations.hello.greet.input', contributing({ input: { type: 'string' }, path: '/api/x/hello' })],
  ['contributes.operations.hello.greet.answer', contributing({ answer: { $ref: '#/$defs/a' } })],
  ['contributes.operations.hello.greet.answer', contributing({ answer: { type: 'string', pattern: '(' } })],
  ['contributes.operations.hello.greet.answer', contributing({ answer: { type: 'string', pattern: '(a)\\1' } })],
  ['contributes.operations.hello.greet.answer', contributing({ answer: { enum: Array.from({ length: 6000 }, (_, n) => `a value ${n}`) } })],
  ['contributes.operations.hello.greet.method', contributing({ kind: 'upload', path: '/api/x/hello', input: { type: 'object' } })],
  [
    'contributes.operations.hello.greet.method',
    contributing({ kind: 'upload', method: 'DELETE', path: '/api/x/hello', input: { type: 'object' } }),
  ],
  ['contributes.operations.hello.greet.who', contributing({ who: 'public' })],
  ['contributes.operations.hello.greet.kind', contributing({ kind: 'file' })],
  ['contributes.operations.hello.greet.handler', contributing({ handler: 'x' })],
  ['contributes.commands.0.operation', { contributes: { commands: [{ operation: 'members.list', command: 'a' }] } }],
  ['contributes.commands.0.flags.name', flags({ name: 'to' }, { name: {}, to: {} })],
  ['contributes.commands.0.flags.member_ids', flags({ member_ids: 'to', ids: 'to' }, { member_ids: {}, ids: {} })],
  ['contributes.commands.0.flags.names', flags({ names: 'to' }, { name: {} })],
  ['contributes.commands.0.flags.name', flags({ name: 'url' }, { name: {} })],
  ['contributes.commands.0.command', { contributes: { commands: [{ operation: 'hello.greet', command: '--help' }] } }],
  [
    'contributes.commands.0.text.approvals',
    { contributes: { commands: [{ operation: 'hello.greet', command: 'a', text: { delta: 'd', whole: 'w', approvals: true } }] } },
  ],
  ['contributes.panels.0.operation', panels({ operation: 'members.list' })],
  ['contributes.panels.0.operation', panels({ operation: 'hello.greet' })],
  ['contributes.panels.0.details', panels({ details: 'members.get' })],
  ['contributes.panels.0.details', panels({ details: 'hello.stream' })],
  ['contributes.panels.0.remove.operation', panels({ remove: { operation: 'members.delete' } })],
  ['contributes.panels.0.actions.0.operation', panels({ actions: [{ key: 'a', label: 'a', operation: 'nodes.exec' }] })],
  ['contributes.panels.0.actions.0.key', panels({ actions: [{ key: 'q', label: 'a', operation: 'hello.all' }] })],
  ['contributes.panels.0.actions.0.key', panels({ actions: [{ key: 'ctrl-d', label: 'a', operation: 'hello.all' }] })],
  ['contributes.panels.0.actions.1', panels({ actions: [1, 2].map(() => ({ key: 'a', label: 'a', operation: 'hello.all' })) })],
  ['contributes.panels.0.actions', panels({ actions: Array.from('abcdefhilmn', (key) => ({ key, label: 'a', operation: 'hello.all' })) })],
  ['contributes.panels.0.columns', panels({ columns: Array.from({ length: 13 }, (_, n) => `c${n}`) })],
  ['contributes.panels.0.refresh_s', panels({ refresh_s: 0 })],
  ['contributes.panels.0.title', panels({ title: 'x'.repeat(25) })],
  ['contributes.panels.0.title', panels({ title: 'a\u001B[2J' })],
  [
    'contributes.panels',
    { contributes: { operations, panels: Array.from({ length: 4 }, () => ({ title: 'a', operation: 'hello.all' })) } },
  ],
  ['contributes.topics.0.name', { contributes: { topics: [{ name: 'chat.message', readers: 'member' }] } }],
  ['contributes.channels.0', { contributes: { channels: ['mail'] } }],
  ['contributes.tools', { contributes: { operations: { 'hello.greet': operation }, tools: [] } }],
  ['contributes.actions', { contributes: { operations: { 'hello.greet': operation }, actions: ['hello.greet'] } }],
];

for (const [path, change] of refused) {
  t.test(`a third-party manifest with ${JSON.stringify(change).slice(0, 100)} is rejected with its path`, async (t) => {
    t.throws(() => foreign(change), { code: 'manifest_invalid', status: 400, details: [{ path }] });
  });
}

t.test('two operations may not have the same method and path, whatever its parameters are called', async (t) => {
  const at = (method: string, path: string) => ({ ...operation, method, path, input: { type: 'object', properties: { a: {}, b: {} } } });
  const both = (one: object, other: object) => foreign({ contributes: { operations: { 'hello.one': one, 'hello.other': other } } });
  t.throws(() => both(at('GET', '/api/x/hello/{a}'), at('GET', '/api/x/hello/{b}')), {
    code: 'manifest_invalid',
    message: /"contributes\.operations\.hello\.other\.path" is GET \/api\/x\/hello\/\{b\}, which 'hello\.one' has already/,
    details: [{ path: 'contributes.operations.hello.other.path' }],
  });
  t.ok(both(at('GET', '/api/x/hello/{a}'), at('DELETE', '/api/x/hello/{a}')), 'another method is allowed');
  t.ok(both(at('GET', '/api/x/hello/{a}'), at('GET', '/api/x/hello/a')), 'another path is allowed');
});

t.test('reports all faults of a manifest, at most a hundred', async (t) => {
  const paths = (change: object): string[] => {
    try {
      foreign(change);
      return [];
    } catch (fault) {
      return (fault as { details: { path: string }[] }).details.map(({ path }) => path);
    }
  };
  const found = new Set(paths({ name: '\u0007', version: 'x', permissions: { a: 1 } }));
  t.strictSame([...found].sort(), ['name', 'permissions.a', 'version']);
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`Wrong ${n}`, 'x']));
  t.equal(paths({ dependencies: many }).length, 100);
});

t.test("the total size of all schemas' patterns is limited", async (t) => {
  const texts = (count: number) => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, { type: 'string', pattern: `^${n}$` }])),
  });
  const taking = (count: number) =>
    contributing({ path: '/api/x/hello', input: { type: 'object', properties: { a: texts(150), b: texts(count - 150) } } });
  t.ok(foreign(taking(300)));
  t.throws(() => foreign(taking(301)), { code: 'manifest_invalid', details: [{ message: /more than 300 patterns/ }] });
});

t.test('rejects a schema that takes seconds to compile', async (t) => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, {}]));
  const objects = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));
  const taking = (properties: object) => contributing({ path: '/api/x/hello', input: { type: 'object', properties } });
  t.ok(foreign(taking(many(200))));
  t.ok(foreign(taking({ a: { enum: objects(50) } })));
  t.throws(() => foreign(taking(many(201))), { code: 'manifest_invalid', details: [{ message: /may have 200 properties/ }] });
  t.throws(() => foreign(taking({ a: { enum: objects(51) } })), {
    code: 'manifest_invalid',
    details: [{ message: /may list 50 objects/ }],
  });
});

t.test('rejects JSON that is too deep, too large or has special keys before validation', async (t) => {
  const deep = (levels: number) => `${'{"properties":{"a":'.repeat(levels)}{}${'}}'.repeat(levels)}`;
  const text = (config: string) => JSON.stringify(good).replace('}', `,"config":${config}}`);
  for (const config of [deep(16), deep(20_000), `[${'0,'.repeat(20_001)}0]`, JSON.stringify('x'.repeat(10_001)), '{"__proto__":{}}']) {
    t.throws(() => parseForeignManifest(text(config)), { code: 'manifest_invalid' }, config.slice(0, 30));
  }
  t.ok(parseForeignManifest(text(`{"type":"object","properties":{"a":${JSON.stringify({ type: 'object' })}}}`)));
});
