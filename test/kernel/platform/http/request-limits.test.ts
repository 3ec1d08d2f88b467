import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { HttpConfig } from '../../../../kernel/platform/http/http.js';
import { find, json, member } from './deeds.js';
import { ask } from './raw.js';
import { type Deed, startWorld, type World } from './world.js';

const admin = { authorization: 'Bearer admin' };
const forged = { authorization: 'Bearer forged' };
const does = () => ({ done: true });

const deeds: Record<string, Deed> = {
  'plain.get': { ...find, path: '/api/plain', input: (j) => j.object({}), who: 'member', does },
  'plain.costly': { ...find, path: '/api/plain/costly', input: (j) => j.object({}), who: 'member', costly: true, does },
  'plain.open': { ...find, path: '/api/plain/open', input: (j) => j.object({}), who: 'public', does },
  'plain.put': { summary: 'Takes a file', method: 'POST', path: '/api/plain/file', who: 'member', kind: 'upload', costly: true, does },
};

async function world(t: Test, limits: HttpConfig['limits'], config: Partial<HttpConfig> = {}): Promise<World> {
  const made = await startWorld({ config: { ...config, ...(limits ? { limits } : {}) } });
  t.teardown(() => made.http.close(1_000));
  await made.serve('plain', ['/api/plain'], deeds, [
    {
      id: 'plain.door',
      summary: 'Lets pass',
      path: '/api/plain/door',
      methods: ['POST'],
      handle: async () => Response.json({ passed: true }),
    },
  ]);
  return made;
}

/** The status of each of `count` requests, one after the other. */
async function statuses(url: string, count: number, init: RequestInit = {}): Promise<number[]> {
  const found: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const answer = await fetch(url, init);
    await answer.text();
    found.push(answer.status);
  }
  return found;
}

t.test('the requests of each member are limited per minute, over all transports', async (t) => {
  const { url } = await world(t, { requests_per_minute: 4, costly_per_minute: 0 });
  t.same(await statuses(`${url}/api/plain`, 3, { headers: member }), [200, 200, 200]);
  t.same(await statuses(`${url}/api/plain/door`, 2, { method: 'POST', headers: member }), [200, 429]);
  const answer = await fetch(`${url}/api/plain`, { headers: member });
  t.equal(answer.status, 429);
  const seconds = Number(answer.headers.get('retry-after'));
  t.ok(seconds >= 1 && seconds <= 60, `after ${seconds} s`);
  t.match(await answer.json(), {
    code: 'rate_limited',
    statusCode: 429,
    message: /^More than 4 requests of one member a minute; try again in \d+ s$/,
  });
  t.same(await statuses(`${url}/api/plain`, 1, { headers: admin }), [200]);
});

t.test('anonymous requests are limited by address, separately from members', async (t) => {
  const { url } = await world(t, { requests_per_minute: 3, costly_per_minute: 0 }, { trusted_proxies: ['127.0.0.0/8'] });
  const from = (address: string, headers = {}) => ({ headers: { ...headers, 'x-forwarded-for': address } });
  t.same(await statuses(`${url}/api/plain/open`, 2, from('192.0.2.1')), [200, 200]);
  t.same(await statuses(`${url}/api/plain`, 2, from('192.0.2.1', forged)), [401, 429], 'invalid tokens count as anonymous');
  t.same(await statuses(`${url}/api/plain`, 1, from('192.0.2.1')), [429], 'requests without a token count as anonymous');
  const doored = { method: 'POST', ...from('192.0.2.3', forged) };
  t.same(await statuses(`${url}/api/plain/door`, 4, doored), [401, 401, 401, 429], 'requests at the endpoint of a protocol count too');
  t.same(await statuses(`${url}/api/plain/open`, 1, from('192.0.2.1')), [429]);
  t.same(await statuses(`${url}/api/plain/open`, 1, from('192.0.2.2')), [200], 'another address is not limited');
  t.same(await statuses(`${url}/api/plain`, 3, from('192.0.2.1', member)), [200, 200, 200], 'a member at the same address is not limited');
  t.same(
    await statuses(`${url}/healthz`, 9, from('192.0.2.1')),
    Array.from({ length: 9 }, () => 200),
    'health checks are not limited',
  );
});

t.test('addresses of one IPv6 network count together', async (t) => {
  const { url } = await world(t, { requests_per_minute: 2, costly_per_minute: 0 }, { trusted_proxies: ['127.0.0.0/8'] });
  const from = async (address: string) => (await statuses(`${url}/api/plain/open`, 1, { headers: { 'x-forwarded-for': address } }))[0];
  t.same([await from('2001:db8:0:7::1'), await from('2001:db8::7:1:2:3:4'), await from('2001:DB8:0:7:ffff::')], [200, 200, 429]);
  t.equal(await from('2001:db8:0:8::1'), 200, 'the next network is not limited');
});

t.test('exceeded limits are logged with member and request id', async (t) => {
  const told: [number, string, string][] = [];
  const made = await startWorld({
    config: { limits: { requests_per_minute: 1, costly_per_minute: 0 } },
    exceeded: ({ caller, request_id }) => void told.push([caller.member_id, caller.address, request_id]),
  });
  t.teardown(() => made.http.close(1_000));
  await made.serve('plain', ['/api/plain'], deeds);
  t.same(await statuses(`${made.url}/api/plain`, 1, { headers: member }), [200]);
  t.same(await statuses(`${made.url}/api/plain/open`, 1), [200]);
  t.same(told, []);
  const ids = [];
  for (const headers of [member, forged]) ids.push((await fetch(`${made.url}/api/plain`, { headers })).headers.get('x-request-id'));
  t.same(told, [
    [7, '127.0.0.1', ids[0]],
    [0, '127.0.0.1', ids[1]],
  ]);
});

t.test('costly operations have a lower limit, and uploads are rejected before they are read', async (t) => {
  const { url, port } = await world(t, { requests_per_minute: 0, costly_per_minute: 2 });
  t.same(await statuses(`${url}/api/plain/costly`, 3, { headers: member }), [200, 200, 429]);
  t.same(await statuses(`${url}/api/plain`, 5, { headers: member }), [200, 200, 200, 200, 200]);
  const head = 'POST /api/plain/file HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer member\r\nContent-Length: 50000\r\n';
  const { status } = await ask({ port }, `${head}Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n`);
  t.equal(status, 429, 'the body was not sent yet');
});

t.test('a limit of 0 means none, and requests over the local socket are not counted', async (t) => {
  const free = await world(t, { requests_per_minute: 0, costly_per_minute: 0 });
  t.ok((await statuses(`${free.url}/api/plain/costly`, 50, { headers: { ...member, ...json } })).every((status) => status === 200));

  const folder = await mkdtemp(join(tmpdir(), 'http-limits-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'local.sock');
  await world(t, { requests_per_minute: 1, costly_per_minute: 1 }, { local: { path, key: 'k' } });
  for (let n = 0; n < 5; n += 1) {
    const { status } = await ask(
      { path },
      'GET /api/plain/costly HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Local k\r\n\r\n',
    );
    t.equal(status, 200);
  }
});
