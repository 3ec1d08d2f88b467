import t from 'tap';
import type { AuditRecord } from '../../../kernel/contract/system.js';
import { callerOf } from '../../helpers/platform.js';
import { Browser, ownPage, type Reply, type Sent, send } from './browser.js';
import { adminPassword, openWorld } from './world.js';

const own = 'https://work.example';
const settings = { base_url: own };

type Headers = NonNullable<Sent['headers']>;

/** Headers of requests that no page of https://work.example sends, by the attack or the fault behind them. */
const foreign: Readonly<Record<string, Headers>> = {
  'no header at all, as of an old browser or a program': {},
  'another site': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  'another site in a browser without Sec-Fetch-Site': { origin: 'https://evil.example' },
  'a frame in a sandbox': { origin: 'null', 'sec-fetch-site': 'cross-site' },
  'a sandboxed document of the platform itself': { origin: 'null', 'sec-fetch-site': 'same-origin' },
  'an empty origin': { origin: '' },
  'another port': { origin: 'https://work.example:8443', 'sec-fetch-site': 'same-site' },
  'the default port, which browsers leave out': { origin: 'https://work.example:443' },
  'a sub-domain': { origin: 'https://evil.work.example', 'sec-fetch-site': 'same-site' },
  'the parent domain': { origin: 'https://example', 'sec-fetch-site': 'same-site' },
  'a scheme downgrade': { origin: 'http://work.example', 'sec-fetch-site': 'cross-site' },
  'a scheme downgrade that hides': { origin: 'http://work.example', 'sec-fetch-site': 'same-origin' },
  'a host that begins with ours': { origin: 'https://work.example.evil.example' },
  'a host that ends with ours': { origin: 'https://evilwork.example' },
  'our host as a user name': { origin: 'https://work.example@evil.example' },
  'our host in capitals': { origin: 'HTTPS://WORK.EXAMPLE' },
  'a trailing dot': { origin: 'https://work.example.' },
  'a trailing slash': { origin: 'https://work.example/' },
  'a look-alike in Cyrillic': { origin: 'https://xn--wrk-7cd.example' },
  'two origins in one header': { origin: 'https://work.example https://evil.example' },
  'two origins in a list': { origin: 'https://work.example, https://evil.example' },
  'two Origin headers, ours first': { origin: [own, 'https://evil.example'] },
  'two Origin headers, ours last': { origin: ['https://evil.example', own] },
  'our origin, and a browser that says same-site': { origin: own, 'sec-fetch-site': 'same-site' },
  'our origin, and a browser that says cross-site': { origin: own, 'sec-fetch-site': 'cross-site' },
  'our origin, and a person who typed the address': { origin: own, 'sec-fetch-site': 'none' },
  'same-origin, and another origin': { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
  'same-origin in other letters': { 'sec-fetch-site': 'Same-Origin' },
  'same-origin twice': { 'sec-fetch-site': ['same-origin', 'same-origin'] },
  'same-origin, then cross-site': { 'sec-fetch-site': ['same-origin', 'cross-site'] },
  'an unknown Sec-Fetch-Site': { origin: own, 'sec-fetch-site': 'same-party' },
  'an empty Sec-Fetch-Site': { origin: own, 'sec-fetch-site': '' },
  'our address as the referrer only': { referer: `${own}/login` },
  'another host with its own origin': { host: 'evil.example', origin: 'https://evil.example' },
  'a forwarded host': { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', origin: 'https://evil.example' },
  'the address that the platform listens on': { origin: 'http://127.0.0.1:8080', 'sec-fetch-site': 'same-origin' },
};

const refused = { status: 403, body: { code: 'origin_refused' }, set: [] };

t.test('requests that no page of the platform sent can neither refresh, log out nor log in by cookie', async (t) => {
  const world = await openWorld(t, 'sqlite', { way: 'http', settings });
  const browser = new Browser(world, own);
  const { body } = await browser.logIn('admin', adminPassword);
  const { cookie } = browser;
  const login = { username: 'admin', password: adminPassword, session: 'cookie' };
  for (const [name, headers] of Object.entries(foreign)) {
    t.match(await send(world.url, { path: '/api/auth/refresh', headers: { cookie, ...headers } }), refused, `refresh: ${name}`);
    t.match(await send(world.url, { path: '/api/auth/logout', headers: { cookie, ...headers } }), refused, `logout: ${name}`);
    t.match(await send(world.url, { path: '/api/auth/login', headers, body: login }), refused, `login: ${name}`);
  }
  t.equal((await (await world.as(body.access_token)).auth.me()).username, 'admin', 'the session goes on');
  t.equal((await browser.refresh()).status, 200);
});

t.test('over https either header of a page of the platform is enough', async (t) => {
  const { url } = await openWorld(t, 'sqlite', { way: 'http', settings });
  const body = { username: 'admin', password: adminPassword, session: 'cookie' };
  for (const headers of [{ origin: own }, { 'sec-fetch-site': 'same-origin' }, { origin: own, 'sec-fetch-site': 'same-origin' }])
    t.equal((await send(url, { path: '/api/auth/login', headers, body })).set.length, 2, JSON.stringify(headers));
});

t.test('over http the origin alone decides', async (t) => {
  const world = await openWorld(t, 'sqlite', { way: 'http' });
  const { port } = new URL(world.url);
  const browser = new Browser(world);
  await browser.logIn('admin', adminPassword);
  const { cookie } = browser;
  const kinds: Record<string, Headers> = {
    'no header': {},
    'Sec-Fetch-Site alone': { 'sec-fetch-site': 'same-origin' },
    'a browser that disagrees': { origin: world.url, 'sec-fetch-site': 'cross-site' },
    'another name of this machine': { origin: `http://localhost:${port}` },
    'another port': { origin: 'http://127.0.0.1:1' },
    'no port': { origin: 'http://127.0.0.1' },
    'an upgraded scheme': { origin: world.url.replace('http:', 'https:') },
    'a host that differs from its own origin': { host: `evil.example:${port}`, origin: world.url },
    'an empty host': { host: '', origin: 'http://' },
  };
  for (const [name, headers] of Object.entries(kinds)) t.match(await send(world.url, { headers: { cookie, ...headers } }), refused, name);
  t.equal((await send(world.url, { headers: { ...ownPage(world.url), 'sec-fetch-site': 'same-origin', cookie } })).status, 200);
  const named = { host: `LOCALHOST:${port}`, origin: `http://localhost:${port}`, cookie: browser.cookie };
  t.equal((await send(world.url, { headers: named })).status, 200, 'the origin is that of the address in use');
});

/** Requests of other kinds that a browser would send with the cookie, if it were not for SameSite. */
const shapes: Readonly<Record<string, { sent: Sent; status: number; logout?: number }>> = {
  'a form that posts JSON as text': {
    sent: { headers: { 'content-type': 'text/plain', origin: 'https://evil.example' }, body: '{"refresh_token":"="}' },
    status: 415,
    // The caller is identified before the body is read.
    logout: 403,
  },
  'an empty form': { sent: { headers: { 'content-type': 'text/plain', origin: 'https://evil.example' } }, status: 403 },
  'a form of fields': {
    sent: { headers: { 'content-type': 'application/x-www-form-urlencoded', ...ownPage(own) }, body: 'refresh_token=x' },
    status: 415,
  },
  'a body without a type': { sent: { headers: { origin: 'https://evil.example' }, body: '{}' }, status: 403 },
  'a link': { sent: { method: 'GET', headers: ownPage(own) }, status: 405 },
  'an image': { sent: { method: 'HEAD', headers: ownPage(own) }, status: 405 },
  'a link that overrides its method by a header': {
    sent: { method: 'GET', headers: { ...ownPage(own), 'x-http-method-override': 'POST' } },
    status: 405,
  },
  'a link that overrides its method in the address': {
    sent: { method: 'GET', path: '/api/auth/refresh?_method=POST', headers: ownPage(own) },
    status: 405,
  },
  'another method': { sent: { method: 'PUT', headers: ownPage(own), body: {} }, status: 405 },
  'a preflight of another site': {
    sent: { method: 'OPTIONS', headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' } },
    status: 405,
  },
};

t.test('no other kind of request uses the cookie', async (t) => {
  const world = await openWorld(t, 'sqlite', { way: 'http', settings });
  const browser = new Browser(world, own);
  await browser.logIn('admin', adminPassword);
  for (const [name, { sent, status, logout = status }] of Object.entries(shapes)) {
    const headers = { ...sent.headers, cookie: browser.cookie };
    t.match(await send(world.url, { ...sent, headers }), { status, set: [] }, `refresh: ${name}`);
    if (sent.path) continue;
    t.match(await send(world.url, { ...sent, path: '/api/auth/logout', headers }), { status: logout, set: [] }, `logout: ${name}`);
  }
  t.equal((await browser.refresh()).status, 200, 'the session goes on');
});

t.test('a cookie that is not the one the platform has set gives no session', async (t) => {
  const world = await openWorld(t, 'sqlite', { way: 'http', settings });
  await world.person('mallory');
  const [browser, mallory] = [new Browser(world, own), new Browser(world, own)];
  await browser.logIn('admin', adminPassword);
  await mallory.logIn('mallory');
  const [mine, theirs] = [`__Secure-platform_session=${browser.session}`, `__Secure-platform_session=${mallory.session}`];
  const kinds = {
    'no cookie': '',
    'a cookie that another host of the domain has set, after ours': `${mine}; ${theirs}`,
    'a cookie that another host of the domain has set, before ours': `${theirs}; ${mine}`,
    'the name that http may set': mine.replace('__Secure-', ''),
    'the prefix in other letters': mine.replace('__Secure-', '__secure-'),
    'the prefix of another kind': mine.replace('__Secure-', '__Host-'),
    'a value in quotes': `__Secure-platform_session="${browser.session}"`,
    'an empty value': '__Secure-platform_session=',
    'a value above the limit': `__Secure-platform_session=${'x'.repeat(4_097)}`,
    'our value with more behind it': `${mine}.x`,
    'the beginning of our value': mine.slice(0, -1),
    'only the id of our login': mine.split('.')[0] as string,
    'an access token': '__Secure-platform_session=eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.',
  };
  for (const [name, cookie] of Object.entries(kinds)) {
    const headers = { ...ownPage(own), ...(cookie === '' ? {} : { cookie }) };
    t.match(await send(world.url, { headers }), { status: 401, body: { code: 'invalid_token' }, set: [] }, `refresh: ${name}`);
    t.match(await send(world.url, { path: '/api/auth/logout', headers }), { status: 401, set: [] }, `logout: ${name}`);
  }
  const huge = { ...ownPage(own), cookie: `${mine}; other=${'x'.repeat(20_000)}` };
  t.match(await send(world.url, { headers: huge }), { status: 431 });
  for (const one of [browser, mallory]) t.equal((await one.refresh()).status, 200, 'no session was used or ended');
  const twice = { ...ownPage(own), cookie: `a=b; ${mine.replace(/=.*/, `=${browser.session}`)}; c=d; platform_session=x` };
  t.equal((await send(world.url, { headers: twice })).status, 200, 'other cookies are no hindrance');
});

t.test('a refused login by cookie checks no password and leaves a row in the audit trail', async (t) => {
  const world = await openWorld(t, 'sqlite', { way: 'http', settings });
  const body = { username: 'admin', password: 'wrong wrong', session: 'cookie' };
  const replies: Reply[] = [];
  for (let n = 0; n < 15; n += 1)
    replies.push(await send(world.url, { path: '/api/auth/login', headers: { origin: 'https://evil.example' }, body }));
  t.ok(replies.every(({ status }) => status === 403));
  t.match(await new Browser(world, own).logIn('admin', adminPassword), { status: 200 });
  t.match(replies[0]?.body.message, /https:\/\/evil\.example.*https:\/\/work\.example.*PLATFORM_BASE_URL/);
  const { body: rows } = await world.kernel.invoke('audit.list', { limit: 2 }, callerOf());
  t.match((rows as AuditRecord[])[1], { operation: 'auth.login', outcome: 'origin_refused', username: '' });
});
