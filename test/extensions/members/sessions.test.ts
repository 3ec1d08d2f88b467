import t from 'tap';
import { deviceName } from '../../../extensions/members/device-name.js';
import { fixture, ownExtension } from '../../helpers/platform.js';
import { Browser, send } from './browser.js';
import { eachDatabase, eachPair, failureOf, movableClock, openWorld, until, type World } from './world.js';

const invalid_token = { code: 'invalid_token', status: 401 };
const login_not_found = { code: 'login_not_found', status: 404 };
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const minute = 60_000;

/** Logs in again, and gives a client with the id of the session. */
async function another(world: World, username: string) {
  const { access_token } = await (await world.as()).auth.login({ username, password: `secret-${username}` });
  const client = await world.as(access_token);
  const id = (await client.auth.sessions()).find(({ current }) => current)?.id as string;
  return { client, id };
}

t.test('sessions are listed with their kind, device, address and use', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open({ settings: { trusted_proxies: ['127.0.0.1'] } });
    const mia = await world.person('mia');
    const browser = new Browser(world);
    const headers = { 'user-agent': firefox, 'x-forwarded-for': '203.0.113.5' };
    const input = { username: 'mia', password: 'secret-mia', session: 'cookie' };
    const { body } = await browser.ask('/api/auth/login', { headers, body: input });
    const authorization = `Bearer ${mia.token}`;
    const agent = { authorization, 'user-agent': 'platform-cli', 'x-forwarded-for': '198.51.100.7' };
    await send(world.url, { path: '/api/auth/tokens', headers: agent, body: { name: 'platform on laptop' } });
    await mia.client.tokens.create({ name: 'script', expires_at: '2999-01-01' });

    const shown = await (await world.as(body.access_token)).auth.sessions();
    t.match(shown, [
      { kind: 'browser', device: 'Firefox on Linux', address: '203.0.113.5', current: true },
      { kind: 'command_line', device: '', address: '127.0.0.1', current: false },
      { id: 'token-1', kind: 'command_line', device: 'platform on laptop', address: '198.51.100.7', last_used_at: null, current: false },
      { id: 'token-2', kind: 'token', device: 'script', address: '127.0.0.1', last_used_at: null, current: false },
    ]);
    t.equal(shown.length, 4);
    t.same(Object.keys(shown[0] ?? {}), ['id', 'kind', 'device', 'address', 'created_at', 'last_used_at', 'current']);
    t.same(
      (await (await world.admin()).auth.sessions()).map(({ device }) => device),
      ['', ''],
      "another member's are not listed",
    );
  });
});

t.test('the last use and its address are recorded every few minutes, and by a refresh', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock, settings: { trusted_proxies: ['127.0.0.1'] } });
    const { token, client, refresh_token } = await world.person('mia');
    const found = async () => (await client.auth.sessions())[0];
    const before = await found();
    const use = (from: string) =>
      send(world.url, { method: 'GET', path: '/api/auth/me', headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': from } });
    clock.forward(4 * minute);
    await use('203.0.113.5');
    t.same(await found(), before, 'not yet');
    clock.forward(2 * minute);
    await use('203.0.113.6');
    await until(async () => (await found())?.address === '203.0.113.6');
    t.ok(String((await found())?.last_used_at) > String(before?.last_used_at));
    await send(world.url, { body: { refresh_token }, headers: { 'x-forwarded-for': '203.0.113.7', 'user-agent': firefox } });
    t.match(await found(), { address: '203.0.113.7', device: 'Firefox on Linux', created_at: before?.created_at });
  });
});

t.test('a session is ended with its tickets and streams; others go on', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open({ extensions: [ownExtension('members'), fixture('neighbour')] });
    const mia = await world.person('mia');
    const browser = new Browser(world);
    const { body } = await browser.logIn('mia');
    const lost = await world.as(body.access_token);
    const { ticket } = await lost.auth.ticket();
    const stream = await fetch(`${world.url}/api/x/nodes/watch`, { headers: { authorization: `Bearer ${body.access_token}` } });
    const id = (await lost.auth.sessions()).find(({ current }) => current)?.id as string;

    await mia.client.auth.end_session({ id });
    t.match(await stream.text(), /begun/, 'the stream has ended');
    t.same(await failureOf(lost.auth.me()), invalid_token);
    t.match(await browser.refresh(), { status: 401, body: { code: 'invalid_token' } });
    t.equal((await fetch(`${world.url}/api/x/nodes/watch?ticket=${ticket}`)).status, 401);
    t.same(await failureOf(mia.client.auth.end_session({ id })), login_not_found);
    t.equal((await mia.client.auth.me()).username, 'mia');
  });
});

t.test("nobody ends another member's session, administrators neither", async (t) => {
  await eachPair(t, async (t, _open, shared) => {
    const world = await shared();
    const mia = await world.person('mia');
    const token = await mia.client.tokens.create({ name: 'script' });
    const admin = await world.admin();
    for (const { id } of await mia.client.auth.sessions()) t.same(await failureOf(admin.auth.end_session({ id })), login_not_found);
    for (const id of [`token-${token.id}x`, `token-0${token.id}`, `token--${token.id}`, 'token-', 'token-99999999999', String(token.id)])
      t.same(await failureOf(mia.client.auth.end_session({ id })), login_not_found, id);
    t.equal((await (await world.as(token.token)).auth.me()).username, 'mia');
    t.equal((await mia.client.auth.me()).username, 'mia');
  });
});

t.test('a personal token lists sessions but ends none', async (t) => {
  await eachPair(t, async (t, _open, shared) => {
    const world = await shared();
    const { client } = await world.person('pia');
    const { token, id } = await client.tokens.create({ name: 'script' });
    const script = await world.as(token);
    t.match((await script.auth.sessions()).at(-1), { id: `token-${id}`, current: true });
    t.match(await failureOf(script.auth.end_session({ id: `token-${id}` })), { code: 'scope_missing' });
    t.match(await failureOf(script.auth.end_sessions()), { code: 'scope_missing' });
    await client.auth.end_session({ id: `token-${id}` });
    t.same(await failureOf(script.auth.me()), invalid_token);
  });
});

t.test('logging out everywhere ends all logins and leaves the tokens of scripts', async (t) => {
  await eachPair(t, async (t, _open, shared) => {
    const world = await shared();
    const { client, ...eve } = await world.person('eve');
    const script = await world.as((await client.tokens.create({ name: 'script' })).token);
    const [second, third] = [await another(world, 'eve'), await another(world, 'eve')];
    t.same(await second.client.auth.end_sessions({ keep_current: true }), { ended: 2 });
    for (const ended of [client, third.client]) t.same(await failureOf(ended.auth.me()), invalid_token);
    t.same(await failureOf((await world.as()).auth.refresh({ refresh_token: eve.refresh_token })), invalid_token);
    t.equal((await second.client.auth.me()).username, 'eve');
    t.same(await second.client.auth.end_sessions(), { ended: 1 });
    t.same(await failureOf(second.client.auth.me()), invalid_token);
    t.equal((await script.auth.me()).username, 'eve');
    t.equal((await (await another(world, 'eve')).client.auth.me()).username, 'eve', 'logging in again works');
  });
});

t.test('logging out everywhere ends the tokens of command lines', async (t) => {
  const world = await openWorld(t, 'sqlite', { way: 'http' });
  const { client, token } = await world.person('mia');
  const headers = { authorization: `Bearer ${token}`, 'user-agent': 'platform-cli' };
  const made = await send(world.url, { path: '/api/auth/tokens', headers, body: { name: 'platform on laptop' } });
  const profile = await world.as((made.body as { token: string }).token);
  t.equal((await profile.auth.me()).username, 'mia');
  t.same(await client.auth.end_sessions({ keep_current: true }), { ended: 1 });
  t.same(await failureOf(profile.auth.me()), invalid_token);
});

t.test('a login at the same time as logging out everywhere works or is ended, and never lingers half', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open();
    const { client } = await world.person('mia');
    const logins = [1, 2, 3].map(() => another(world, 'mia').catch(() => undefined));
    const ending = client.auth.end_sessions({ keep_current: true });
    const [found] = await Promise.all([Promise.all(logins), ending]);
    const listed = new Set((await client.auth.sessions()).map(({ id }) => id));
    for (const login of found.filter((each) => each !== undefined)) {
      const works = await login.client.auth.me().then(
        () => true,
        () => false,
      );
      t.equal(works, listed.has(login.id));
    }
  });
});

t.test('ends of sessions are in the audit trail', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open();
    const { client, id: member_id } = await world.person('mia');
    const { id } = await another(world, 'mia');
    await client.auth.end_session({ id });
    await failureOf(client.auth.end_session({ id }));
    await client.auth.end_sessions({ keep_current: true });
    const { body } = await world.kernel.invoke('audit.list', { limit: 2 }, await world.kernel.localCaller('direct'));
    t.match(body, [
      { operation: 'auth.end_sessions', outcome: 'success', member_id },
      { operation: 'auth.end_session', outcome: 'success', member_id, target: id },
    ]);
  });
});

t.test('a device has the name of its browser and system', async (t) => {
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  const names: Record<string, string> = {
    [firefox]: 'Firefox on Linux',
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/142.0.0.0 Safari/537.36`]: 'Chrome on Windows',
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`]: 'Edge on Windows',
    [`Mozilla/5.0 (Linux; Android 10; K) ${webkit} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`]:
      'Samsung Internet on Android',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15':
      'Safari on macOS',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1':
      'Safari on iPhone',
    'Mozilla/5.0 Firefox/1': 'Firefox',
    'curl/8.5.0': 'curl/8.5.0',
    'Mozilla/5.0 (compatible; bot)': 'Mozilla/5.0 (compatible; bot)',
    '': '',
  };
  for (const [agent, name] of Object.entries(names)) t.equal(deviceName(agent), name);
});
