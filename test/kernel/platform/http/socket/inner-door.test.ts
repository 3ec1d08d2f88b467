import t, { type Test } from 'tap';
import { clockOf } from '../../../../../kernel/boot/storage.js';
import { SocketClient, type SocketState } from '../../../../../kernel/client/socket.js';
import type { SocketFrame } from '../../../../../kernel/client/socket-frame.js';
import { InnerDoor } from '../../../../../kernel/platform/http/socket/inner-door.js';
import type { SocketPlatform } from '../../../../../kernel/platform/http/socket/platform.js';
import { until } from '../../../../helpers/eventually.js';
import { startWorld, type World } from './world.js';

/** A client of a platform that listens nowhere. */
function open(t: Test, { kernel }: World, after?: string) {
  const frames: SocketFrame[] = [];
  const states: SocketState[] = [];
  const client = new SocketClient({
    url: 'http://localhost',
    authorization: () => '',
    socket: () => kernel.openSocket(),
    after,
    onFrame: (frame) => void frames.push(frame),
    onState: (state) => void states.push(state),
  });
  t.teardown(() => client.close());
  const has = (type: string) =>
    until(
      () => frames,
      (all) => all.some((frame) => frame.type === type),
    );
  return { client, frames, states, has };
}

t.test('an in-process client receives the same frames as over the local socket', async (t) => {
  const world = await startWorld(t, { listen: false });
  const reader = open(t, world);
  await reader.has('presence');
  t.match(reader.frames, [
    { type: 'hello', data: { member_id: 1, resumed: false } },
    { type: 'presence', data: { member_id: 1 } },
  ]);
  await reader.client.subscribe(['log', 'extensions']);
  await t.rejects(reader.client.subscribe(['nothing']), { code: 'topic_not_found' });
  world.kernel.log.error('planted');
  await world.ask('plugins.reload', { name: 'frames' });
  await world.push({ members: [1] }, { type: 'note', data: { n: 1, text: 'x'.repeat(50_000) } });
  await world.push('everyone', { type: 'shout', data: {} });
  for (const type of ['log', 'extension.changed', 'note', 'shout']) await reader.has(type);
  t.match(reader.frames.find(({ type }) => type === 'note')?.cursor, /^member:1\./);
});

t.test('an in-process client resumes from a cursor, and learns if the cursor is too old', async (t) => {
  const world = await startWorld(t, { listen: false });
  const first = open(t, world);
  await first.has('hello');
  await first.client.close();
  t.match(first.states.at(-1), { state: 'closed' });
  await world.push({ members: [1] }, { type: 'note', data: { n: 2 } });
  const second = open(t, world, String(first.client.cursor));
  await second.has('note');
  t.match(second.frames[0], { type: 'hello', data: { resumed: true } });
  const late = open(t, world, 'member:1.gone.9');
  await late.has('resync');
});

t.test('the in-process socket ends with its platform and rejects later clients', async (t) => {
  const world = await startWorld(t, { listen: false });
  const { states, has } = open(t, world);
  await has('hello');
  await world.kernel.close();
  await until(
    () => states.at(-1)?.state,
    (state) => state === 'waiting',
  );
  await t.rejects(world.kernel.openSocket(), { code: 'shutting_down' });
});

t.test('after a failed opening the next client can open', async (t) => {
  let tries = 0;
  const platform = {
    presence: { listen: () => undefined },
    async broadcasts() {
      tries += 1;
      if (tries === 1) throw new Error('the bus is away');
      return async () => undefined;
    },
  } as unknown as SocketPlatform;
  const clock = clockOf({ now: () => 0 });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const door = new InnerDoor({ platform, authenticator: () => undefined, clock, log, version: '1.0.0', instance: 'one' });
  await t.rejects(door.connect(), { message: 'the bus is away' });
  const client = await door.connect();
  client.destroy();
  t.equal(tries, 2);
  await door.close();
});
