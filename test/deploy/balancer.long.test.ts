import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { startCluster } from '../helpers/cluster.js';
import { until } from '../helpers/eventually.js';
import { skipWithout } from '../helpers/parts.js';
import { adminPassword, type TestPlatform } from '../helpers/platform.js';
import { freePort } from '../helpers/ports.js';
import { killed } from '../helpers/processes.js';

const file = fileURLToPath(new URL('../../../deploy/haproxy.cfg', import.meta.url));

/** The balancer of deploy/compose.yaml before three instances; gives its address. */
async function startBalancer(t: Test, platforms: readonly TestPlatform[]): Promise<string> {
  const bind = `127.0.0.1:${await freePort()}`;
  const names = platforms.map(({ url }, index) => [`PLATFORM_${index + 1}`, new URL(url).host]);
  const env = { ...process.env, ...Object.fromEntries(names), BALANCER_BIND: bind };
  const child: ChildProcess = spawn('haproxy', ['-db', '-f', file], { env, stdio: 'ignore' });
  t.teardown(() => killed(child));
  const url = `http://${bind}`;
  await until(
    () =>
      fetch(`${url}/readyz`).then(
        ({ status }) => status,
        () => 0,
      ),
    (status) => status === 200,
    20_000,
  );
  return url;
}

/** An answer on a connection of its own. */
async function ask(url: string, headers: Record<string, string> = {}): Promise<{ status: number; instance: string }> {
  const [answer] = (await once(get(url, { agent: false, headers }), 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return { status: answer.statusCode ?? 0, instance: String(answer.headers['x-instance']) };
}

t.test('the balancer of deploy/ works with two instances', { skip: skipWithout('haproxy', 'postgres', 'redis') }, async (t) => {
  const platforms = await startCluster(t, 3, { settings: { trusted_proxies: ['127.0.0.1'] } });
  const url = await startBalancer(t, platforms);
  const login = async () => {
    const body = JSON.stringify({ username: 'admin', password: adminPassword });
    const answer = await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return ((await answer.json()) as { access_token: string }).access_token;
  };
  const token = await login();
  const authorization = `Bearer ${token}`;
  const send = async (content: string) => {
    const headers = { 'content-type': 'application/json', authorization };
    const answer = await fetch(`${url}/api/chat/send`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ content, images: [], target_type: 'ai' }),
    });
    return (await answer.json()) as { message_id: string; session_id: string };
  };

  await t.test('the balancer distributes requests round-robin', async (t) => {
    const instances = [];
    for (let n = 0; n < 6; n += 1) instances.push((await ask(`${url}/api/chat/sessions`, { authorization })).instance);
    t.same(instances.slice(3), instances.slice(0, 3));
    t.equal(new Set(instances).size, 3);
  });

  await t.test('streams and sockets are passed on as they come', async (t) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers: { authorization } });
    const heard: string[] = [];
    socket.on('message', (frame: Buffer) => heard.push((JSON.parse(frame.toString()) as { type: string }).type));
    await once(socket, 'open');
    const { message_id } = await send('/help');
    const stream = await fetch(`${url}/api/chat/stream/${message_id}`, { headers: { authorization } });
    t.match(await stream.text(), /event: message\.completed[\s\S]*event: done/);
    await until(
      () => heard,
      (types) => types.some((type) => type.startsWith('message')),
    );
    socket.close();
    // One that never ends has its first bytes at once.
    const open = await fetch(`${url}/api/chat/stream?session_id=${(await send('/help')).session_id}`, { headers: { authorization } });
    const reader = (open.body as ReadableStream<Uint8Array>).getReader();
    t.ok((await reader.read()).value?.byteLength);
    await reader.cancel();
  });

  await t.test("the balancer forwards the client's address, whatever the client claims", async (t) => {
    const headers = { 'content-type': 'application/json', authorization, 'x-forwarded-for': '6.6.6.6', forwarded: 'for=6.6.6.6' };
    await fetch(`${url}/api/auth/tokens`, { method: 'POST', headers, body: JSON.stringify({ name: 'one' }) });
    const answer = await fetch(`${url}/api/admin/audit?operation=tokens.create`, { headers: { authorization } });
    t.match(await answer.json(), [{ operation: 'tokens.create', address: '127.0.0.1' }]);
  });

  await t.test('an ending instance is left out without failed requests', async (t) => {
    const ending = platforms[1]?.kernel.close();
    const statuses = new Set<number>();
    const seen = new Set<string>();
    for (let n = 0; n < 60; n += 1) {
      const { status, instance } = await ask(`${url}/api/chat/sessions`, { authorization });
      statuses.add(status);
      if (n >= 30) seen.add(instance);
    }
    await ending;
    t.same([...statuses], [200]);
    t.equal(seen.size, 2);
  });
});
