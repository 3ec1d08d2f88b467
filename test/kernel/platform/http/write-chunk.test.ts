import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import type { Outgoing } from '../../../../kernel/platform/http/incoming.js';
import { writeChunk } from '../../../../kernel/platform/http/stream.js';

const pieces = ['plain', 'ő and é', '語', '🎉\r\n\r\n', '\u0000', 'x'.repeat(70_000)];

async function serve(t: Test, listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  t.teardown(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Returns the answers to requests that are sent at once, up to the end of the connection. */
async function exchange(port: number, requests: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(requests);
  return text(socket);
}

t.test('a chunked answer is sent whole, followed by the next answer on the connection', async (t) => {
  const port = await serve(t, (req, res) => {
    if (req.url === '/next') return void res.end('next');
    res.flushHeaders();
    for (const piece of ['first ', ...pieces]) writeChunk(res as unknown as Outgoing, piece);
    return void res.end(' last');
  });
  const response = await fetch(`http://127.0.0.1:${port}/`);
  t.equal(await response.text(), `first ${pieces.join('')} last`);
  const requests = ['/', '/next'].map(
    (path) => `GET ${path} HTTP/1.1\r\nhost: h\r\n${path === '/next' ? 'connection: close\r\n' : ''}\r\n`,
  );
  t.match(await exchange(port, requests.join('')), /last\r\n0\r\n\r\nHTTP\/1\.1 200 OK.*next$/s);
});

t.test('an HTTP/1.0 client gets chunks without their sizes', async (t) => {
  const port = await serve(t, (_req, res) => {
    res.flushHeaders();
    for (const piece of ['first ', 'second']) writeChunk(res as unknown as Outgoing, piece);
    res.end();
  });
  t.match(await exchange(port, 'GET / HTTP/1.0\r\n\r\n'), /\r\n\r\nfirst second$/);
});

t.test('a pipelined answer that waits is sent complete and in order', async (t) => {
  let first: Outgoing | undefined;
  const port = await serve(t, (req, res) => {
    if (req.url === '/first') {
      first = res as unknown as Outgoing;
      return;
    }
    res.flushHeaders();
    for (const piece of ['second ', 'of two']) writeChunk(res as unknown as Outgoing, piece);
    first?.end('first');
    writeChunk(res as unknown as Outgoing, ', whole');
    res.end();
  });
  const requests = 'GET /first HTTP/1.1\r\nhost: h\r\n\r\nGET /second HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n';
  t.match(await exchange(port, requests), /first.*second \r\n6\r\nof two\r\n7\r\n, whole\r\n0\r\n\r\n$/s);
});
