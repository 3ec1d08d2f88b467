import t from 'tap';
import { fixture, ownExtension } from '../../helpers/platform.js';
import { Browser, ownPage, send } from './browser.js';
import { adminPassword, eachDatabase, failureOf, movableClock, openWorld } from './world.js';

const invalid_token = { code: 'invalid_token', status: 401 };
const credentials = { username: 'admin', password: adminPassword };

t.test('a browser gets its refresh token as a cookie, which only the platform reads', async (t) => {
  const world = await openWorld(t, 'sqlite', { way: 'http' });
  const browser = new Browser(world);
  const reply = await browser.logIn('admin', adminPassword);
  t.match(reply, { status: 200, body: { access_token: String, token_type: 'bearer', expires_in: 28_800 } });
  t.notOk('refresh_token' in reply.body);
  const [device, session, ...more] = reply.set;
  t.match(device, /^platform_device=/);
  t.match(session, /^platform_session=[\w.-]+; Path=\/api\/auth; Max-Age=2592000; HttpOnly; SameSite=Strict$/);
  t.same(more, []);
  t.equal(reply.headers['cache-control'], 'no-store');
});

t.test('without the field a login answers with its refresh token, to pages of the platform too', async (t) => {
  const world = await openWorld(t, 'sqlite', { way: 'http' });
  const reply = await send(world.url, { path: '/api/auth/login', headers: ownPage(world.url), body: credentials });
  t.match(reply, { status: 200, body: { refresh_token: String } });
  t.match(reply.set, [/^platform_device=/]);
  t.equal(reply.set.length, 1);
  const { refresh_token } = reply.body;
  const refreshed = await send(world.url, { headers: ownPage(world.url), body: { refresh_token } });
  t.match(refreshed, { status: 200, body: { refresh_token: String }, set: [] });
});

t.test('over https the cookie is Secure, has the prefix __Secure-, and the path below that of the platform', async (t) => {
  const forwarded = { 'x-forwarded-for': '203.0.113.5', 'x-forwarded-proto': 'https' };
  const kinds = [
    { settings: { base_url: 'https://work.example' }, origin: 'https://work.example', path: '/api/auth', headers: {} },
    { settings: { base_url: 'https://work.example:8443/' }, origin: 'https://work.example:8443', path: '/api/auth', headers: {} },
    { settings: { base_url: 'https://work.example/platform/' }, origin: 'https://work.example', path: '/platform/api/auth', headers: {} },
    {
      settings: { trusted_proxies: ['127.0.0.1'] },
      origin: 'https://work.example',
      path: '/api/auth',
      headers: { ...forwarded, host: 'work.example' },
    },
  ];
  for (const { settings, origin, path, headers } of kinds) {
    const { url } = await openWorld(t, 'sqlite', { way: 'http', settings });
    const body = { ...credentials, session: 'cookie' };
    const { set } = await send(url, { path: '/api/auth/login', headers: { ...headers, ...ownPage(origin) }, body });
    const attributes = `; Path=${path}; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure`;
    t.match(set[1], new RegExp(`^__Secure-platform_session=[\\w.-]+${attributes}$`), origin);
    t.match(set[0], /^platform_device=.*; HttpOnly; SameSite=Strict; Secure$/);
    const cookie = set[1]?.split(';', 1)[0] as string;
    t.match(await send(url, { headers: { ...headers, ...ownPage(origin), cookie } }), { status: 200 });
  }
});

t.test('a proxy that is not trusted cannot make a request one of https', async (t) => {
  const { url } = await openWorld(t, 'sqlite', { way: 'http' });
  const headers = { ...ownPage('https://work.example'), host: 'work.example', 'x-forwarded-proto': 'https' };
  const reply = await send(url, { path: '/api/auth/login', headers, body: { ...credentials, session: 'cookie' } });
  t.match(reply, { status: 403, body: { code: 'origin_refused' } });
});

t.test('each refresh replaces the cookie, and a lost answer or another tab ends nothing', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock });
    await world.person('mia');
    const browser = new Browser(world);
    await browser.logIn('mia');
    const first = browser.session;
    const reply = await browser.refresh();
    t.match(reply, { status: 200, body: { access_token: String } });
    t.notOk('refresh_token' in reply.body);
    t.match(reply.set, [/^platform_session=[\w.-]+; Path=\/api\/auth; Max-Age=2592000; HttpOnly; SameSite=Strict$/]);
    t.not(browser.session, first);

    const lost = browser.copy();
    t.equal((await lost.refresh()).status, 200);
    clock.forward(3_600_000);
    t.equal((await browser.refresh()).status, 200, 'the answer to the other tab was lost');
    const tabs = [1, 2, 3, 4].map(() => browser.copy());
    t.same(
      (await Promise.all(tabs.map((tab) => tab.refresh()))).map(({ status }) => status),
      [200, 200, 200, 200],
    );
    for (const tab of tabs) t.equal((await tab.refresh()).status, 200);

    clock.forward(30_001);
    t.match(await lost.refresh(), { status: 401, body: { code: 'refresh_token_reused' }, set: [] });
    for (const tab of tabs) t.match(await tab.refresh(), { status: 401, body: { code: 'invalid_token' } });
  });
});

t.test('a refresh token in the body wins over the cookie, from anywhere', async (t) => {
  const world = await openWorld(t, 'sqlite', { way: 'http' });
  const mia = await world.person('mia');
  const browser = new Browser(world);
  await browser.logIn('admin', adminPassword);
  const { cookie } = browser;
  const sent = { headers: { cookie, origin: 'https://other.example' }, body: { refresh_token: mia.refresh_token } };
  const reply = await send(world.url, sent);
  t.match(reply, { status: 200, body: { refresh_token: String }, set: [] });
  t.equal((await (await world.as(reply.body.access_token)).auth.me()).username, 'mia');
  t.match(await send(world.url, { ...sent, body: { refresh_token: 'nonsense' } }), { status: 401, body: { code: 'invalid_token' } });
  t.equal((await browser.refresh()).status, 200, 'the cookie was not used');
});

t.test('a page that has no cookie is asked to log in, and a program without a token is told so', async (t) => {
  const world = await openWorld(t, 'sqlite', { way: 'http' });
  t.match(await new Browser(world).refresh(), { status: 401, body: { code: 'invalid_token' } });
  t.match(await send(world.url, { body: {} }), { status: 400, body: { code: 'invalid_input' } });
  t.match(await send(world.url, { path: '/api/auth/logout', headers: ownPage(world.url) }), {
    status: 401,
    body: { code: 'unauthenticated' },
  });
});

t.test('logging out by the cookie ends the session, its streams and the cookie', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open({ extensions: [ownExtension('members'), fixture('neighbour')] });
    await world.person('mia');
    const browser = new Browser(world);
    const { body } = await browser.logIn('mia');
    const stream = await fetch(`${world.url}/api/x/nodes/watch`, { headers: { authorization: `Bearer ${body.access_token}` } });
    const before = browser.copy();
    const reply = await browser.ask('/api/auth/logout');
    t.match(reply, { status: 200, body: { logged_out: true } });
    t.match(reply.set, [/^platform_session=; Path=\/api\/auth; Max-Age=0; HttpOnly; SameSite=Strict$/]);
    t.match(await stream.text(), /begun/, 'the stream has ended');
    t.same(await failureOf((await world.as(body.access_token)).auth.me()), invalid_token);
    t.match(await before.refresh(), { status: 401, body: { code: 'invalid_token' } });
    t.match(await before.ask('/api/auth/logout'), { status: 401, body: { code: 'invalid_token' } });
  });
});

t.test('logging out with a bearer needs no origin and ends only its own login, whatever cookie is sent', async (t) => {
  const world = await openWorld(t, 'sqlite', { way: 'http' });
  const mia = await world.person('mia');
  await world.person('bob');
  const bob = new Browser(world);
  await bob.logIn('bob');
  const authorization = `Bearer ${mia.token}`;
  const path = '/api/auth/logout';
  t.match(await send(world.url, { path, headers: { authorization, cookie: bob.cookie } }), {
    status: 200,
    body: { logged_out: true },
    set: [],
  });
  t.same(await failureOf(mia.client.auth.me()), invalid_token);
  t.match(
    await bob.ask(path, { headers: { authorization } }),
    { status: 401, body: { code: 'invalid_token' } },
    'the cookie is no second try',
  );
  const reply = await bob.refresh();
  t.equal(reply.status, 200, "the cookie's session goes on");

  const own = await bob.ask(path, { headers: { authorization: `Bearer ${reply.body.access_token}` } });
  t.match(own, { status: 200, set: [/^platform_session=; .*Max-Age=0/] }, 'the cookie of the same login goes with it');
  t.equal(bob.session, undefined);
});

t.test('the cookie opens nothing but refresh and logout', async (t) => {
  const world = await openWorld(t, 'sqlite', { way: 'http' });
  const browser = new Browser(world);
  await browser.logIn('admin', adminPassword);
  const headers = { ...ownPage(world.url), cookie: browser.cookie };
  for (const [method, path] of [
    ['GET', '/api/auth/me'],
    ['GET', '/api/auth/tokens'],
    ['POST', '/api/auth/ticket'],
    ['POST', '/api/auth/password'],
    ['GET', '/api/members'],
    ['POST', '/api/admin/auth/rotate-key'],
  ] as const)
    t.match(await send(world.url, { method, path, headers }), { status: 401, body: { code: 'unauthenticated' } }, path);
  const authorization = `Bearer ${browser.session}`;
  t.match(await send(world.url, { method: 'GET', path: '/api/auth/me', headers: { authorization } }), { status: 401 });
});

t.test('changing the password in a browser replaces its session', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open();
    await world.person('mia');
    const browser = new Browser(world);
    const { body } = await browser.logIn('mia');
    const before = browser.copy();
    const authorization = `Bearer ${body.access_token}`;
    const input = { current_password: 'secret-mia', new_password: 'another-one', session: 'cookie' };
    const path = '/api/auth/password';
    const foreign = await send(world.url, { path, headers: { authorization, origin: 'https://other.example' }, body: input });
    t.match(foreign, { status: 403, body: { code: 'origin_refused' } });
    const reply = await browser.ask(path, { headers: { authorization }, body: input });
    t.match(reply, { status: 200, body: { access_token: String }, set: [/^platform_session=/] });
    t.notOk('refresh_token' in reply.body);
    t.equal((await browser.refresh()).status, 200);
    t.match(await before.refresh(), { status: 401, body: { code: 'invalid_token' } });
  });
});

t.test('pages that CORS allows may log in for themselves, without cookies or credentials', async (t) => {
  const origin = 'https://pages.example';
  const { url } = await openWorld(t, 'sqlite', { way: 'http', settings: { cors_origins: [origin] } });
  const path = '/api/auth/login';
  const plain = await send(url, { path, headers: { origin }, body: credentials });
  t.match(plain, { status: 200, body: { refresh_token: String }, headers: { 'access-control-allow-origin': origin } });
  const refused = await send(url, { path, headers: { origin }, body: { ...credentials, session: 'cookie' } });
  t.match(refused, { status: 403, body: { code: 'origin_refused' }, set: [] });
  const preflight = { 'access-control-request-method': 'POST', origin };
  for (const reply of [plain, refused, await send(url, { method: 'OPTIONS', path, headers: preflight })])
    t.notOk('access-control-allow-credentials' in reply.headers);
  const own = await send(url, { path, headers: ownPage(url), body: { ...credentials, session: 'cookie' } });
  t.equal(own.set.length, 2, 'each cookie has a header of its own, beside that of CORS');
});
