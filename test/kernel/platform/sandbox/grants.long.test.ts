import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import type { Permissions } from '../../../../kernel/contract/index.js';
import { reachable } from '../../../../kernel/platform/sandbox/grants.js';
import { callerOf, fixture, type TestPlatform } from '../../../helpers/platform.js';
import { failureOf, installSandboxed, pluginFolder, startSandboxed } from './world.js';

const ann = callerOf({ member_id: 7, username: 'ann', role: 'member' });

/** A server that answers 200, and to `/away` redirects to the address in its query. */
async function receiver(t: Test): Promise<{ port: number; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    const to = new URL(request.url ?? '', 'http://x').searchParams.get('to');
    response.writeHead(to ? 302 : 200, to ? { location: to } : {}).end('here');
  }).listen(0);
  t.teardown(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return { port: (server.address() as AddressInfo).port, seen };
}

/** Attempts of the plugin in these tests. */
const tries = `
  const tries = {
    call: ({ id, input = {} }) => ctx.call(id, input),
    emit: ({ topic }) => ctx.emit(topic, {}),
    fetch: ({ url }) => ctx.fetch(url).then(({ status, url }) => ({ status, url })),
    set: () => ctx.storage.set('k', 1), get: () => ctx.storage.get('k'), delete: () => ctx.storage.delete('k'), keys: () => ctx.storage.keys(),
    env: ({ name }) => ctx.env(name),
  };
  ctx.expose({ 'xx.try': op('try', { who: 'member' }), 'xx.own': op('own', { who: 'member' }) }, {
    'xx.try': async ({ what, ...more }) => ({ gave: await tries[what](more) }), 'xx.own': () => 'own',
  });`;

interface World extends TestPlatform {
  attempt: (what: string, more?: object) => Promise<unknown>;
  logged: () => string[];
}

async function world(t: Test, permissions: Permissions, activate = tries): Promise<World> {
  const settings = { fetch_allow: ['127.0.0.1', 'localhost'] };
  const platform = await startSandboxed(t, [], { strict: false, extensions: [fixture('hello')], settings });
  await installSandboxed(platform, await pluginFolder(t, activate), { permissions });
  const attempt = (what: string, more: object = {}) =>
    platform.kernel.invoke('xx.try', { what, ...more }, ann).then(({ body }) => body, failureOf);
  const logged = () => platform.lines.filter(({ extension }) => extension === 'xx').map(({ msg }) => String(msg));
  return { ...platform, attempt, logged };
}

const denied = (permission: string) => ({ code: 'permission_denied', status: 403, message: new RegExp(`'${permission}'`) });

t.test('each permission works if granted; otherwise the rejection names it and is logged', async (t) => {
  const { port } = await receiver(t);
  process.env.GRANTED_TO_XX = 'seen';
  t.teardown(() => delete process.env.GRANTED_TO_XX);
  const here = `http://127.0.0.1:${port}/`;
  const table: [string, object, Permissions, string, object][] = [
    ['call', { id: 'hello.whoami' }, { operations: ['hello.whoami'] }, 'operations', { gave: { username: 'ann' } }],
    ['fetch', { url: here }, { network: [`127.0.0.1:${port}`] }, 'network', { gave: { status: 200 } }],
    ['set', {}, { storage: true }, 'storage', {}],
    ['get', {}, { storage: true }, 'storage', { gave: 1 }],
    ['keys', {}, { storage: true }, 'storage', { gave: ['k'] }],
    ['delete', {}, { storage: true }, 'storage', {}],
    ['env', { name: 'GRANTED_TO_XX' }, { env: ['GRANTED_TO_XX'] }, 'env', { gave: 'seen' }],
  ];
  const all: Permissions = Object.assign({}, ...table.map(([, , permissions]) => permissions));
  const [with_all, with_none] = [await world(t, all), await world(t, {})];
  for (const [what, more, , permission, gave] of table) {
    t.match(await with_all.attempt(what, more), gave, `${what}, granted`);
    t.match(await with_none.attempt(what, more), denied(permission), `${what}, not granted`);
    t.match(with_none.logged().at(-1), new RegExp(`^Plugin 'xx' .*'${permission}'`), 'the rejection is in its log');
  }
  t.equal(with_all.logged().length, 0, 'granted uses leave no line');
});

t.test('no permission gives access to the topics of others, protected variables or redirects to other hosts', async (t) => {
  const { port, seen } = await receiver(t);
  const { attempt } = await world(t, {
    operations: ['plugins.disable', 'hello.whoami'],
    events: ['members.deleted'],
    network: ['127.0.0.1:*'],
    env: ['PLATFORM_SECRET_KEY', 'platform_secret_key'],
  });
  t.match(await attempt('call', { id: 'xx.own' }), { gave: 'own' }, 'its own operations need no permission');
  t.match(
    await attempt('call', { id: 'plugins.disable', input: { name: 'hello' } }),
    { code: 'forbidden' },
    'the caller is not an administrator',
  );
  t.match(await attempt('call', { id: 'hello.greet', input: { name: 'x' } }), denied('operations'));
  t.match(await attempt('call', { id: 'x'.repeat(5_000) }), { code: 'permission_denied', message: /^.{1,400}$/ });
  t.match(await attempt('emit', { topic: 'xx.happened' }), {}, 'its own topics need no permission');
  for (const topic of ['members.deleted', 'xx', 'xy.happened', '', `xx.${'y'.repeat(200)}`]) {
    t.match(await attempt('emit', { topic }), { code: 'permission_denied', message: /begin with 'xx\.'/ }, `emits '${topic.slice(0, 20)}'`);
  }
  for (const name of ['PLATFORM_SECRET_KEY', 'platform_secret_key', 'PATH', '__proto__'])
    t.match(await attempt('env', { name }), denied('env'), name);
  const away = `http://127.0.0.1:${port}/away?to=${encodeURIComponent(`http://localhost:${port}/`)}`;
  t.match(await attempt('fetch', { url: away }), denied('network'), 'a redirect to a host that is not granted');
  t.equal(seen.length, 1, 'the other host got no request');
});

t.test('a plugin that needs a permission which it was not granted does not start, and the fault is its own', async (t) => {
  const platform = await startSandboxed(t, []);
  const cases: [string, string, Permissions][] = [
    [`ctx.listen('members.deleted', async () => {});`, 'events', { events: ['members.deleted'] }],
    [`ctx.expose({ 'xx.open': op('open') }, { 'xx.open': () => 1 });`, 'public_routes', { public_routes: true }],
    [`await ctx.storage.keys();`, 'storage', { storage: true }],
  ];
  for (const [activate, permission, permissions] of cases) {
    const folder = await pluginFolder(t, activate);
    // Whoever installs it has every right: the start fails, and says what the manifest lacks.
    const message = new RegExp(
      `^Extension 'xx' 1\\.0\\.0 failed to start: .*'${permission}'.*manifest\\.json.* permissions\\.${permission}`,
    );
    await t.rejects(
      installSandboxed(platform, folder, { permissions: {} }),
      { code: 'extension_failed', status: 502, message },
      permission,
    );
    t.notOk(platform.kernel.host.running.has('xx'));
    await installSandboxed(platform, folder, { permissions });
    t.ok(platform.kernel.host.running.has('xx'), `the plugin starts with ${permission}`);
    await platform.kernel.host.remove('xx');
  }
  const own = await pluginFolder(t, `ctx.listen('xx.happened', async () => {});`);
  await t.resolves(installSandboxed(platform, own, { permissions: {} }), 'its own topic needs no permission');
  const large = await pluginFolder(t, `ctx.expose({ 'xx.open': op('open', { max_bytes: 1048577 }) }, { 'xx.open': () => 1 });`);
  await t.rejects(installSandboxed(platform, large, { permissions: { public_routes: true } }), {
    message: /open to everybody and takes more/,
  });
});

t.test('a public operation is limited to 60 requests a minute per address and gets the signed bytes', async (t) => {
  const { url } = await world(
    t,
    { public_routes: true },
    `ctx.expose({ 'xx.hook': op('hook', { verbatim: true, query: ['from'] }) }, { 'xx.hook': (input, { verbatim, caller }) => ({
      input, text: verbatim.body.toString('latin1'), headers: verbatim.headers, caller: caller.member_id }) });`,
  );
  const hook = (body: string, more: Record<string, string> = {}) =>
    fetch(`${url}/api/x/x/hook?from=there`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'text/odd', 'x-signature': 's1', ...more },
    });
  const first = await hook('{"not": json \u0000', { authorization: 'Bearer abc', cookie: 'a=b' });
  const told = (await first.json()) as { headers: object };
  t.match(told, { input: { from: 'there' }, text: '{"not": json \u0000', headers: { 'x-signature': 's1' }, caller: 0 });
  t.notOk('authorization' in told.headers || 'cookie' in told.headers, 'credentials are not passed to the plugin');
  t.equal((await hook('x'.repeat(1024 * 1024 + 1))).status, 413);
  const answers = await Promise.all(Array.from({ length: 70 }, () => hook('{}')));
  t.equal(answers.filter(({ status }) => status === 200).length, 59);
  const refused = answers.filter(({ status }) => status === 429);
  t.equal(refused.length, 11);
  const seconds = Number(refused[0]?.headers.get('retry-after'));
  t.ok(seconds >= 1 && seconds <= 60, `after ${seconds} s`);
});

t.test('a granted pattern of hosts matches only its hosts', async (t) => {
  const table: [string, string, boolean][] = [
    ['example.org', 'https://example.org/a', true],
    ['example.org', 'https://EXAMPLE.org./a', true],
    ['Example.ORG', 'http://example.org', true],
    ['example.org', 'https://www.example.org', false],
    ['example.org', 'https://example.org:8443', false],
    ['example.org', 'https://notexample.org', false],
    ['example.org', 'https://example.org.evil.net', false],
    ['example.org:443', 'https://example.org', true],
    ['example.org:443', 'http://example.org', false],
    ['example.org:8443', 'https://example.org:8443', true],
    ['example.org:8443', 'https://example.org', false],
    ['example.org:*', 'https://example.org:1', true],
    ['*.example.org', 'https://www.example.org', true],
    ['*.example.org', 'https://a.b.example.org', true],
    ['*.example.org', 'https://example.org', false],
    ['*.example.org', 'https://evilexample.org', false],
    ['*.example.org', 'https://.example.org', false],
    ['*.example.org:8443', 'https://a.example.org:8443', true],
    ['*', 'https://example.org', false],
    ['', 'https://example.org', false],
    ['[::1]', 'http://[::1]/', true],
    ['[::1]:81', 'http://[::1]/', false],
    ['127.0.0.1', 'http://0x7f.1/', true],
    ['example.org', 'ftp://example.org', false],
  ];
  for (const [granted, url, covered] of table) {
    if (!URL.canParse(url)) continue;
    t.equal(reachable(granted, new URL(url)), covered, `'${granted}' and ${url}`);
  }
});
