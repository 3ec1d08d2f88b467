import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { type WebSocket, WebSocketServer } from 'ws';
import { FrameSocket } from './frame-socket.js';

interface Opened {
  client: FrameSocket;
  server: WebSocket;
  frames: string[];
  /** Resolves when that many frames were received. */
  received: (count: number) => Promise<void>;
  ended: Promise<unknown>;
}

async function open(t: Test): Promise<Opened> {
  const http = createServer();
  const sockets = new WebSocketServer({ server: http });
  await listening(http);
  t.teardown(() => http.close());
  const connected = once(sockets, 'connection') as Promise<[WebSocket]>;
  const frames: string[] = [];
  let look: () => void = () => undefined;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const take = (bytes: Buffer, start: number, stop: number) => {
    frames.push(bytes.toString('utf8', start, stop));
    look();
  };
  const client = await FrameSocket.open({ url, token: 'none' }, take, end);
  t.teardown(() => client.close());
  const [server] = await connected;
  const received = (count: number) =>
    new Promise<void>((resolve) => {
      look = () => {
        if (frames.length >= count) resolve();
      };
      look();
    });
  return { client, server, frames, received, ended };
}

function listening(http: Server): Promise<unknown> {
  http.listen(0, '127.0.0.1');
  return once(http, 'listening');
}

t.test('frames of every length arrive whole and in order', async (t) => {
  const { server, frames, received } = await open(t);
  const sent = [0, 1, 125, 126, 127, 65_535, 65_536, 300_000, 3].map((length, at) => `${at}${'ä'.repeat(length)}`);
  for (const text of sent) server.send(text);
  await received(sent.length);
  t.strictSame(frames, sent);
});

t.test('a frame that is sent arrives', async (t) => {
  const { client, server } = await open(t);
  for (const pad of ['', 'x'.repeat(200)]) {
    const message = once(server, 'message') as Promise<[Buffer]>;
    client.send({ type: 'typing', data: { pad } });
    const [bytes] = await message;
    t.strictSame(JSON.parse(bytes.toString()), { type: 'typing', data: { pad } });
  }
});

t.test('a ping is answered, and the end is reported', async (t) => {
  const { server, ended } = await open(t);
  const pong = once(server, 'pong') as Promise<[Buffer]>;
  server.ping('alive?');
  const [bytes] = await pong;
  t.equal(bytes.toString(), 'alive?');
  server.close();
  await ended;
});
