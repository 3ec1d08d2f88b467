import type { Socket } from 'node:net';
import t from 'tap';
import { movableClock } from '../../../../extensions/members/world.js';
import { becomes, until } from '../../../../helpers/eventually.js';
import { callerOf } from '../../../../helpers/platform.js';
import { type Client, connect } from './client.js';
import { startWorld } from './world.js';

const clock = movableClock();
const world = await startWorld(t, { clock });
const ann = await world.person('ann');

const netOf = ({ ws }: Client) => (ws as unknown as { _socket: Socket })._socket;
const sockets = async () => Number(/platform_http_sockets (\d+)/.exec(await (await fetch(`${world.url}/metrics`)).text())?.[1]);

t.test('the server pings every 30 s and closes sockets silent for 60 s', async (t) => {
  const [alive, dead] = [await world.socket(ann), await world.socket(ann)];
  let pings = 0;
  alive.ws.on('ping', () => (pings += 1));
  dead.ws.pong = () => undefined;
  (dead.ws as unknown as { _autoPong: boolean })._autoPong = false;
  for (const wanted of [1, 2, 3]) {
    clock.forward(29_000);
    await becomes(t, () => pings >= wanted, true);
  }
  t.same(await dead.end(), { code: 1001, reason: 'silent' });
  t.equal(alive.closed, undefined);
  await alive.close();
});

t.test('open sockets are counted', async (t) => {
  await becomes(t, sockets, 0);
  const clients = [await world.socket(ann), await world.socket(ann)];
  t.equal(await sockets(), 2);
  for (const client of clients) await client.close();
  await becomes(t, sockets, 0);
});

t.test('a socket survives the replacement of every extension, including members', async (t) => {
  const client = await world.socket(ann);
  client.send({ type: 'subscribe', id: 1, data: { topics: ['frames.news'] } });
  await client.next('ack');
  for (const name of ['frames', 'members', 'frames']) {
    await world.kernel.invoke('plugins.reload', { name }, callerOf());
    await world.push({ members: [ann.id] }, { type: 'note', data: {} });
    await world.push({ topic: 'frames.news' }, { type: 'frames.told', data: {} });
    await client.next('note');
    await client.next('frames.told');
    client.send({ type: 'frames.say', id: 2, data: { text: 'hi' } });
    await client.next('ack');
  }
  t.equal(client.closed, undefined);
  await client.close();
});

t.test('a client that does not read is closed with 1013 at a limited buffer, without affecting others', async (t) => {
  const [slow, quick] = [await world.socket(ann), await world.socket(ann)];
  netOf(slow).pause();
  const before = process.memoryUsage().rss;
  const data = { pad: 'x'.repeat(32_000) };
  let sent = 0;
  const closed = () => world.lines.some(({ msg }) => String(msg).includes('its client does not read'));
  while (!closed() && sent < 3_000) {
    await world.push('everyone', { type: 'pad', data }, { times: 10 });
    sent += 10;
  }
  t.ok(closed(), `after ${sent} frames of 32 KB`);
  await becomes(t, () => quick.of('pad').length, sent);
  t.ok(process.memoryUsage().rss - before < 400 * 1024 * 1024);
  netOf(slow).resume();
  const { code } = await slow.end();
  t.ok(code === 1013 || code === 1006, `closed with ${code}`);
  await quick.close();
});

t.test('stored frames wait for a slow reader and all arrive later', async (t) => {
  const client = await world.socket(ann);
  netOf(client).pause();
  for (let n = 1; n <= 60; n += 1) await world.push({ members: [ann.id] }, { type: 'kept', data: { n, pad: 'x'.repeat(10_000) } });
  netOf(client).resume();
  await until(
    () => client.of('kept').length,
    (count) => count === 60,
  );
  t.same(
    client.of('kept').map(({ data }) => data.n),
    Array.from({ length: 60 }, (_, at) => at + 1),
  );
  await client.close();
});

t.test('a client that leaves data unread for 30 s is closed, however little', async (t) => {
  const client = await world.socket(ann);
  netOf(client).pause();
  const slow = () => world.lines.filter(({ msg }) => String(msg).includes('its client does not read')).length;
  const before = slow();
  // The system's own buffers are full after some megabytes; kept frames wait behind them.
  for (let n = 0; n < 300; n += 1) await world.push({ members: [ann.id] }, { type: 'kept', data: { pad: 'x'.repeat(50_000) } });
  t.equal(slow(), before);
  clock.forward(31_000);
  await becomes(t, slow, before + 1);
  netOf(client).resume();
  t.match(await client.end(), { code: /^(1013|1006)$/ });
});

t.test('at shutdown sockets close with 1001, unresponsive ones are cut, and new ones are refused', async (t) => {
  const own = await startWorld(t);
  const [client, deaf, unknown] = [await own.socket(own.admin), await own.socket(own.admin), await connect(t, own.url)];
  netOf(deaf).pause();
  const started = Date.now();
  await own.kernel.close();
  t.ok(Date.now() - started < 10_000);
  t.same(await client.end(), { code: 1001, reason: 'shutting down' });
  t.same(await unknown.end(), { code: 1001, reason: 'shutting down' });
  await t.rejects(connect(t, own.url, { token: own.admin.token }));
});
