import t, { type Test } from 'tap';
import type { HttpOptions } from '../../../../kernel/platform/http/http.js';
import { becomes } from '../../../helpers/eventually.js';
import { json, member } from './deeds.js';
import { open } from './raw.js';
import { startWorld, type World } from './world.js';

async function world(t: Test, overrides: Parameters<typeof startWorld>[0] = {}): Promise<World> {
  const made = await startWorld(overrides);
  t.teardown(() => made.http.close(1_000));
  return made;
}

const get = async (url: string, init: RequestInit = {}) => {
  const answer = await fetch(url, init);
  return { status: answer.status, body: (await answer.json()) as object };
};

t.test('healthz shows that the process is alive', async (t) => {
  const { url } = await world(t);
  t.same(await get(`${url}/healthz`), { status: 200, body: { status: 'ok' } });
  t.match(await get(`${url}/healthz`, { method: 'POST', headers: json, body: '{}' }), {
    status: 405,
    body: { code: 'method_not_allowed' },
  });
  t.match(await get(`${url}/healthz/more`), { status: 404, body: { code: 'not_found' } });
  const head = await fetch(`${url}/healthz`, { method: 'HEAD' });
  t.same([head.status, await head.text()], [200, '']);
});

t.test('readyz names what is not ready without details', async (t) => {
  const checks = [
    { extension: 'kernel', code: 'database', ok: true, message: 'It answers' },
    { extension: 'members', code: 'extension_active', ok: false, message: 'no such table in /data/platform.db' },
  ];
  const shown = checks.map(({ extension, code, ok }) => ({ extension, code, ok }));
  const ready = await world(t, { checks: async () => ({ ok: true, checks: checks.slice(0, 1) }) });
  t.same(await get(`${ready.url}/readyz`), { status: 200, body: { ok: true, checks: shown.slice(0, 1) } });
  const unready = await world(t, { checks: async () => ({ ok: false, checks }) });
  const found = await get(`${unready.url}/readyz`);
  t.match(found, {
    status: 503,
    body: { code: 'not_ready', message: 'The platform is not ready: extension_active of members', checks: shown },
  });
  t.notMatch(JSON.stringify(found.body), /platform.db/);
  const failing = await world(t, { checks: () => Promise.reject(new Error('secret')) });
  t.match(await get(`${failing.url}/readyz`), { status: 500, body: { code: 'internal_error' } });
});

t.test('concurrent requests for readyz share one check', async (t) => {
  let came = 0;
  let looked = 0;
  let answer = () => {};
  const checks = async () => {
    looked += 1;
    if (looked === 1) await new Promise<void>((resolve) => (answer = resolve));
    return { ok: looked === 1, checks: [] };
  };
  const around: HttpOptions['around'] = (_req, _res, work) => {
    came += 1;
    work();
  };
  const { url } = await world(t, { checks, around });
  const status = async () => (await get(`${url}/readyz`)).status;
  const asked = Promise.all(Array.from({ length: 20 }, status));
  await becomes(t, () => came, 20);
  answer();
  t.same(new Set(await asked), new Set([200]));
  t.equal(looked, 1);
  await becomes(t, status, 503);
  t.equal(looked, 2);
});

t.test('during shutdown readyz is 503 and new connections are refused', async (t) => {
  const { http, port, url } = await world(t);
  const socket = open({ port });
  t.teardown(() => socket.destroy());
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString();
    if (!received.includes('shutting_down') && received.includes('"ok"')) {
      void http.drain();
      socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
    }
  });
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await new Promise((resolve) => socket.once('close', resolve));
  t.match(received, /HTTP\/1\.1 503 Service Unavailable.*Connection: close.*"code":"shutting_down"/s);
  await t.rejects(fetch(`${url}/healthz`));
});

t.test('metrics are for members and for direct requests from this machine', async (t) => {
  const { url } = await world(t, { metrics: async () => '# HELP platform_x_y Y\n# TYPE platform_x_y gauge\nplatform_x_y 1\n' });
  const ask = async (headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}/metrics`, { headers });
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  };
  const direct = await ask();
  t.match(direct, { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', text: /platform_x_y 1\n$/ });
  for (const line of direct.text.trimEnd().split('\n')) t.match(line, /^(# (HELP|TYPE) \w+ .+|\w+(\{.+\})? [\d.e+-]+)$/);
  t.match(await ask(), { text: /nodejs_eventloop_lag_p99_seconds|process_resident_memory_bytes/ });
  for (const header of ['x-forwarded-for', 'x-forwarded-proto', 'forwarded']) {
    t.equal((await ask({ [header]: 'x' })).status, 401, header);
    t.equal((await ask({ [header]: 'x', ...member })).status, 200, `${header} with a token`);
  }
  t.equal((await ask({ authorization: 'Bearer wrong' })).status, 401);
});

t.test('two servers in one process share nothing', async (t) => {
  const [one, two] = [await world(t), await world(t)];
  await one.http.close(1_000);
  t.equal((await get(`${two.url}/healthz`)).status, 200);
});
