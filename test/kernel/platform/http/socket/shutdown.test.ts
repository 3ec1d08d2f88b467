import type { Socket } from 'node:net';
import t from 'tap';
import { adminPassword, temporaryFolder } from '../../../../helpers/platform.js';
import { startServer } from '../../../../helpers/server-process.js';
import { type Client, connect } from './client.js';

async function logIn(url: string): Promise<string> {
  const body = JSON.stringify({ username: 'admin', password: adminPassword });
  const answer = await fetch(`${url}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await answer.json()) as { access_token: string }).access_token;
}

const pause = ({ ws }: Client) => (ws as unknown as { _socket: Socket })._socket.pause();

t.test('a server with open sockets stops within 10 s and informs its clients first', async (t) => {
  const server = await startServer(t, { PLATFORM_DATA_DIR: await temporaryFolder(t) });
  const token = await logIn(server.url);
  const clients = await Promise.all(Array.from({ length: 20 }, () => connect(t, server.url, { token })));
  for (const client of clients) await client.next('hello');
  const [deaf, unknown] = [await connect(t, server.url, { token }), await connect(t, server.url)];
  pause(deaf);
  const started = Date.now();
  t.equal(await server.kill('SIGTERM'), 0);
  t.ok(Date.now() - started < 10_000, `after ${Date.now() - started} ms`);
  for (const client of [...clients, unknown]) t.same(await client.end(), { code: 1001, reason: 'shutting down' });
  t.notMatch(server.log(), /"level":"(error|warn)"/);
});
