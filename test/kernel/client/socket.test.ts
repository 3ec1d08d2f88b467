import { readFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { localKeyFile, localSocket } from '../../../kernel/client/local-address.js';
import { SocketClient, type SocketOptions, type SocketState } from '../../../kernel/client/socket.js';
import type { SocketFrame } from '../../../kernel/client/socket-frame.js';
import { movableClock } from '../../extensions/members/world.js';
import { becomes } from '../../helpers/eventually.js';
import { startWorld } from '../platform/http/socket/world.js';

const clock = movableClock();
const world = await startWorld(t, { clock });
const ann = await world.person('ann');

interface Watched {
  client: SocketClient;
  frames: SocketFrame[];
  states: SocketState[];
  /** The `n` of the notes that came. */
  notes: () => unknown[];
}

function open(t: Test, options: Partial<SocketOptions> = {}): Watched {
  const frames: SocketFrame[] = [];
  const states: SocketState[] = [];
  const client = new SocketClient({
    url: world.url,
    authorization: () => `Bearer ${ann.token}`,
    wait_ms: 10,
    onFrame: (frame) => void frames.push(frame),
    onState: (state) => void states.push(state),
    ...options,
  });
  t.teardown(() => client.close());
  return { client, frames, states, notes: () => frames.filter(({ type }) => type === 'note').map(({ data }) => data.n) };
}

const note = (n: number) => world.push({ members: [ann.id] }, { type: 'note', data: { n } });
const isOpen = ({ states }: Watched) => states.at(-1)?.state;

/** A way to the server that can be cut. */
async function cuttable(t: Test): Promise<{ url: string; cut(): void; refuse(refused: boolean): void }> {
  const open = new Set<Socket>();
  let refused = false;
  const port = Number(new URL(world.url).port);
  const server = createServer((near) => {
    if (refused) return void near.destroy();
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => [near, far].map((each) => each.destroy()) && open.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    cut: () => [...open].map((socket) => socket.destroy()),
    refuse: (wanted) => {
      refused = wanted;
    },
  };
}

t.test('a client receives frames, and its own are acknowledged or rejected', async (t) => {
  const watched = open(t);
  await becomes(t, () => watched.states, [{ state: 'open', resumed: false }]);
  await watched.client.send('frames.say', { text: 'hi' });
  await t.rejects(watched.client.send('frames.say', { text: 7 }), { code: 'invalid_input', status: 400, details: [{ path: 'text' }] });
  await t.rejects(watched.client.send('no.such'), { code: 'unknown_frame' });
  await note(1);
  await becomes(t, watched.notes, [1]);
  await watched.client.close();
  t.same(watched.states.at(-1), { state: 'closed', reason: 'closed' });
  await t.rejects(watched.client.send('ping'), { code: 'unreachable' });
});

t.test('a disconnected client reconnects and misses nothing', async (t) => {
  const way = await cuttable(t);
  const watched = open(t, { url: way.url });
  await becomes(t, () => isOpen(watched), 'open');
  await watched.client.subscribe(['frames.news']);
  for (let n = 1; n <= 40; n += 1) {
    await note(n);
    if (n === 22) way.refuse(false);
    if (n % 8 !== 0) continue;
    await becomes(t, () => isOpen(watched), 'open');
    way.refuse(n === 16);
    way.cut();
  }
  await becomes(
    t,
    watched.notes,
    Array.from({ length: 40 }, (_, at) => at + 1),
  );
  t.ok(watched.states.filter(({ state }) => state === 'waiting').length >= 4);
  t.same(
    watched.states.filter((each) => each.state === 'open' && !each.resumed).length,
    1,
    'each connection but the first resumed the one before',
  );
  // The topics are subscribed to again; when that has happened is seen by what comes.
  const told = async () => {
    await world.push({ topic: 'frames.news' }, { type: 'frames.told', data: {} });
    return watched.frames.some(({ type }) => type === 'frames.told');
  };
  await becomes(t, told, true);
});

t.test('calls in progress fail when the connection is lost', async (t) => {
  const way = await cuttable(t);
  const watched = open(t, { url: way.url });
  await becomes(t, () => isOpen(watched), 'open');
  const sent = watched.client.send('frames.say', { text: 'slow', ms: 500 });
  way.cut();
  await t.rejects(sent, { code: 'unreachable' });
});

t.test('an invalid or revoked token ends the client', async (t) => {
  const wrong = open(t, { authorization: () => 'Bearer wrong' });
  await becomes(t, () => wrong.states, [
    { state: 'waiting', reason: 'invalid_token' },
    { state: 'closed', reason: 'invalid_token' },
  ]);
  const eve = await world.person('eve');
  const watched = open(t, { authorization: async () => `Bearer ${eve.token}` });
  await becomes(t, () => isOpen(watched), 'open');
  await world.ask('members.delete', { id: eve.id });
  await becomes(t, () => watched.states.at(-1) as object, { state: 'closed', reason: 'revoked' });
});

t.test('a client reconnects with a new token when the old one expires, and misses nothing', async (t) => {
  const expires_at = new Date(clock.now() + 40_000).toISOString();
  const { token: short } = await world.ask<{ token: string }>('tokens.create', { name: 'short', expires_at }, ann.token);
  const tokens = [short, short, ann.token];
  const watched = open(t, { authorization: () => `Bearer ${tokens.shift() ?? ann.token}`, wait_ms: 200 });
  await becomes(t, () => watched.states, [{ state: 'open', resumed: false }]);
  await note(1);
  await becomes(t, watched.notes, [1]);
  clock.forward(40_000);
  await becomes(t, () => watched.states.slice(1, 3), [
    { state: 'waiting', reason: 'expired' },
    { state: 'waiting', reason: 'invalid_token' },
  ]);
  await note(2);
  await becomes(t, watched.notes, [1, 2]);
  t.same(watched.states.slice(3), [{ state: 'open', resumed: true }]);
});

t.test('removed topics do not affect the other topics of a client', async (t) => {
  const gone = Array.from({ length: 7 }, (_, n) => `gone.${n}`);
  const topics = [...gone.slice(0, 3), 'frames.news', ...gone.slice(3)];
  const watched = open(t, { topics });
  const told = async () => {
    await world.push({ topic: 'frames.news' }, { type: 'frames.told', data: {} });
    return watched.frames.some(({ type }) => type === 'frames.told');
  };
  await becomes(t, told, true);
  const refused = () => [...new Set(watched.frames.flatMap(({ data }) => String(data.message).match(/gone\.\d/) ?? []))].sort();
  await becomes(t, refused, gone);
  t.equal(isOpen(watched), 'open');
});

t.test('a client reports a missing server and retries until it is closed', async (t) => {
  const watched = open(t, { url: 'http://127.0.0.1:1' });
  await becomes(t, () => watched.states.length >= 3 && watched.states.every(({ state }) => state === 'waiting'), true);
  t.match(watched.states[0], { reason: /ECONNREFUSED/ });
  await watched.client.close();
});

t.test('a client works over the local socket too', async (t) => {
  const key = (await readFile(localKeyFile(world.data_dir), 'utf8')).trim();
  const watched = open(t, {
    url: 'http://localhost',
    socket: localSocket(world.data_dir),
    authorization: () => `Local ${key}`,
    topics: ['log'],
  });
  await becomes(t, () => isOpen(watched), 'open');
  await watched.client.send('ping');
  world.kernel.log.warn('A line for whoever reads the log');
  await becomes(t, () => watched.frames.some(({ type, data }) => type === 'log' && String(data.msg).startsWith('A line for')), true);
});
