import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import t, { type Test } from 'tap';
import { Balancer } from './balancer.js';

interface Backend {
  server: Server;
  url: string;
}

/** Tells what it was asked, and begins a stream that it never ends. */
async function backend(t: Test, name: string): Promise<Backend> {
  const server = createServer(async (req, res) => {
    res.setHeader('X-Instance', name);
    if (req.url === '/stream') return res.flushHeaders();
    const body = await req.toArray();
    return void res.end(
      JSON.stringify({ name, method: req.method, url: req.url, from: req.headers['x-forwarded-for'], body: String(body) }),
    );
  });
  server.on('upgrade', (_req, socket) => socket.end(`HTTP/1.1 101 Switching Protocols\r\n\r\n${name}`));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

t.test('the balancer distributes requests round-robin and skips unavailable servers', async (t) => {
  const backends = [await backend(t, 'a'), await backend(t, 'b'), await backend(t, 'c')];
  const balancer = await Balancer.start(backends.map(({ url }) => url));
  t.teardown(() => balancer.close());
  const names = async (count: number) => {
    const found: string[] = [];
    for (let n = 0; n < count; n += 1) found.push(((await (await fetch(balancer.url)).json()) as { name: string }).name);
    return found.join('');
  };
  t.equal(await names(7), 'abcabca');
  const sent = await fetch(`${balancer.url}/x?y=1`, { method: 'POST', body: 'text' });
  t.match(await sent.json(), { name: 'b', method: 'POST', url: '/x?y=1', from: /127\.0\.0\.1$/, body: 'text' });
  t.equal(sent.headers.get('connection'), 'close');

  // Not fetch: after a `Connection: close` it takes a broken answer for a whole one.
  const [stream] = (await once(get(`${balancer.url}/stream`), 'response')) as [IncomingMessage];
  t.equal(stream.headers['x-instance'], 'c', 'a stream starts before its first bytes');
  backends[2]?.server.closeAllConnections();
  await t.rejects(stream.toArray(), { code: 'ECONNRESET' }, 'a stream ends with its server');

  const upgraded = connect(Number(new URL(balancer.url).port), '127.0.0.1');
  upgraded.write('GET /ws HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n');
  t.match(String(await upgraded.toArray()), /^HTTP\/1\.1 101 .*a$/s);

  backends[1]?.server.close();
  t.equal(await names(4), 'caca');
  for (const { server } of backends) server.close();
  t.equal((await fetch(balancer.url)).status, 502);
  t.same([...balancer.met.keys()].sort(), ['a', 'b', 'c']);
});
