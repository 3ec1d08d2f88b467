import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startPlatform, until } from '../../cli/authoring/testing/index.js';
import { temporaryFolder } from '../helpers/platform.js';

// Tests of other files have platforms too, whose folders come and go beside these.
const own = mkdtempSync(join(tmpdir(), 'platform-authors-'));
process.env.TMPDIR = own;
t.teardown(() => rmSync(own, { recursive: true, force: true }));

const index = `
exports.default = { activate(ctx) {
  const heard = [];
  if (ctx.config.greeting === 'Boom') throw new Error('will not');
  ctx.listen('members.deleted', async ({ payload }) => { heard.push(payload.id); ctx.log.warn('Heard of ' + payload.id); });
  ctx.expose(require('./operations.cjs').operations, {
    'acme.tries.greet': async () => ({ greeting: ctx.config.greeting, kept: (await ctx.storage.get('kept')) ?? null, heard }),
    'acme.tries.look': async ({ url }) => (await ctx.fetch(url)).status,
    'acme.tries.count': async function* () { for (let n = 1; n <= 3; n += 1) yield { type: 'tick', data: { n } }; },
    'acme.tries.admins': () => ctx.call('members.list', {}),
  });
} };`;

const operations = `
const op = (name, more) => ({ summary: name, method: 'POST', path: '/api/x/acme.tries/' + name, who: 'member', answer: (j) => j.any(), ...more });
exports.operations = {
  'acme.tries.greet': op('greet'),
  'acme.tries.look': op('look', { input: (j) => j.object({ url: j.string().required() }) }),
  'acme.tries.count': op('count', { kind: 'stream', method: 'GET', answer: undefined }),
  'acme.tries.admins': op('admins', { who: 'admin' }),
};`;

async function authorsFolder(t: Test, change: object = {}): Promise<string> {
  const folder = join(await temporaryFolder(t), 'acme.tries');
  mkdirSync(folder);
  const manifest = {
    id: 'acme.tries',
    name: 'Tries',
    type: 'plugin',
    version: '1.0.0',
    description: 'Tries what tests can do.',
    author: 'a',
    permissions: { storage: true, events: ['members.deleted'], network: ['127.0.0.1:*'] },
    config: { type: 'object', properties: { greeting: { type: 'string', default: 'Hi' } } },
    ...change,
  };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'index.cjs'), index);
  writeFileSync(join(folder, 'operations.cjs'), operations);
  writeFileSync(join(folder, 'README.md'), 'Tries.');
  return folder;
}

t.test("an author's test calls, sends, emits, stores and configures, and leaves nothing behind", async (t) => {
  const server = createServer((_request, response) => response.writeHead(204).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const folder = await authorsFolder(t);
  const before = readdirSync(own);
  const platform = await startPlatform({ folder, config: { greeting: 'Hello' }, fetch_allow: ['127.0.0.1'] });
  await platform.storage.set('kept', [1]);
  t.same(await platform.call('acme.tries.greet'), { greeting: 'Hello', kept: [1], heard: [] });
  await platform.configure({ greeting: 'Hola' });
  t.match(await platform.call('acme.tries.greet'), { greeting: 'Hola' });
  await platform.emit('members.deleted', { id: 77, is_virtual: false });
  await platform.until(
    () => platform.call<{ heard: number[] }>('acme.tries.greet'),
    ({ heard }) => heard.includes(77),
  );
  t.match(
    (await platform.log()).filter(({ message }) => message === 'Heard of 77'),
    [{ level: 'warn' }],
  );
  t.equal(await platform.call('acme.tries.look', { url: `http://127.0.0.1:${port}/` }), 204);
  const ticks: unknown[] = [];
  for await (const { data } of await platform.call<AsyncIterable<{ data: unknown }>>('acme.tries.count')) ticks.push(data);
  t.same(ticks, [{ n: 1 }, { n: 2 }, { n: 3 }]);
  await t.rejects(platform.call('acme.tries.admins'), { code: 'forbidden' });
  await t.rejects(platform.call('acme.tries.admins', {}, { as: 'admin' }), { code: 'permission_denied' }, "the plugin's permissions apply");
  t.type(await platform.member('ada'), 'number');
  const asks = async (as: string) => (await platform.request('/api/x/acme.tries/greet', { method: 'POST', as })).status;
  t.same([await asks('ada'), await asks('admin'), await asks('nobody')], [200, 200, 401]);
  await platform.close();
  t.same(readdirSync(own), before);
});

t.test("an author's test reports why a plugin does not start and leaves nothing", async (t) => {
  const before = readdirSync(own);
  const folder = await authorsFolder(t);
  await t.rejects(startPlatform({ folder, config: { greeting: 'Boom' } }), { code: 'extension_failed', message: /will not/ });
  await t.rejects(startPlatform({ folder, config: { greeting: 7 } }), { code: 'invalid_input' });
  await t.rejects(startPlatform({ folder: await authorsFolder(t, { version: 'new' }) }), { code: 'manifest_invalid' });
  await t.rejects(startPlatform({ folder: join(folder, 'nowhere') }), { code: 'manifest_missing' });
  t.same(
    readdirSync(own).filter((name) => !before.includes(name) && name.startsWith('platform-testing-')),
    [],
  );
});

t.test('a timed-out wait reports the last value', async (t) => {
  await t.rejects(
    until(
      () => ['this'],
      ([found]) => found === 'that',
      50,
    ),
    { message: 'No accepted value within 0.05 s; the last one was ["this"]' },
  );
});
