import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { type WebSocket, WebSocketServer } from 'ws';
import { LiveFrames } from '../../tui/live-frames.js';
import { until } from '../helpers/eventually.js';

interface Asked {
  type: string;
  topics: string[];
}

/** A server that takes whatever is subscribed to; what it was asked, and a way to cut its clients off. */
async function server(t: Test) {
  const asked: Asked[] = [];
  const all = new Set<WebSocket>();
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  sockets.on('connection', (ws) => {
    all.add(ws);
    ws.send(JSON.stringify({ type: 'hello', data: {} }));
    ws.on('message', (text) => {
      const { type, id, data } = JSON.parse(String(text)) as { type: string; id: number; data: { topics: string[] } };
      asked.push({ type, topics: data.topics });
      ws.send(JSON.stringify({ type: 'ack', id, data: {} }));
    });
  });
  await once(sockets, 'listening');
  t.teardown(() => sockets.close());
  const { port } = sockets.address() as AddressInfo;
  const live = new LiveFrames({ live: { url: `http://127.0.0.1:${port}`, authorization: () => '' } }, Date.now);
  t.teardown(() => live.close());
  return { asked, live, cut: () => [...all].map((ws) => ws.terminate()) };
}

const topics = Array.from({ length: 60 }, (_, n) => `acme.topic-${n}`);
const count = (asked: readonly Asked[], wanted: number) =>
  until(
    () => asked.length,
    (length) => length >= wanted,
  );

t.test('all topics are subscribed to together, and again after each connection', async (t) => {
  const { asked, live, cut } = await server(t);
  const leave = topics.map((topic) => live.want(topic));
  await count(asked, 1);
  t.same(asked, [{ type: 'subscribe', topics }]);
  cut();
  await count(asked, 2);
  t.same(asked[1], { type: 'subscribe', topics });
  for (const each of leave.slice(1)) each();
  await count(asked, 3);
  t.same(asked[2], { type: 'unsubscribe', topics: topics.slice(1) });
});

t.test('a view that opens and closes quickly subscribes once', async (t) => {
  const { asked, live } = await server(t);
  live.want('extensions');
  await count(asked, 1);
  for (let turn = 0; turn < 100; turn += 1) live.want('log')();
  live.want('log');
  await count(asked, 2);
  t.same(asked[1], { type: 'subscribe', topics: ['log'] });
  t.equal(asked.length, 2);
});
