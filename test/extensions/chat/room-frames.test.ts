import t from 'tap';
import { Typing } from '../../../extensions/chat/typing.js';
import { until } from '../../helpers/eventually.js';
import type { Exchange } from '../../helpers/model-server.js';
import { connect } from '../../kernel/platform/http/socket/client.js';
import { employee, people, roomOf } from './room-members.js';
import { onEachPlatform, type Someone } from './world.js';

t.test('a reply in a thread sends the first message with its new count to all members', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const [ada, ben] = (await people(t, platform, 2)) as [Someone, Someone];
    const vic = await employee(platform, `Vic ${ada.name}`);
    const { id: session_id } = await roomOf(ada, [ben, vic]);
    const { message_id: thread_id } = await ada.http.chat.send({ session_id, content: 'Where do we meet?' });
    const device = await connect(t, platform.url, { token: ben.token });
    await device.next('hello');
    const counts = () =>
      device
        .of('message.updated')
        .map(({ data }) => data.message as { id: string; reply_count: number })
        .flatMap(({ id, reply_count }) => (id === thread_id ? reply_count : []));
    await ada.http.chat.send({ session_id, content: 'At the bakery', thread_id });
    await until(counts, (found) => found.at(-1) === 1);
    const asked: Exchange[] = [];
    model.script((exchange) => void asked.push(exchange));
    const { task_id } = await ada.http.chat.send({ session_id, content: `@${vic.username} and you?`, thread_id });
    await until(counts, (found) => found.at(-1) === 3);
    await until(
      () => asked.length,
      (length) => length === 1,
    );
    const joined = await ada.http.tasks.message({ task_id: task_id as string, content: 'Tell me soon' });
    t.match(await ben.http.messages.get({ message_id: joined.message_id }), { thread_id, task_id }, 'a text for a task is in its thread');
    await until(counts, (found) => found.at(-1) === 4);
    await ada.http.chat.abort({ message_id: joined.message_id });
  });
});

t.test('typing is shown to the present members of a room, and to nobody after leaving it', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben, cleo] = (await people(t, platform, 3)) as [Someone, Someone, Someone];
    const { id: session_id } = await roomOf(ada, [ben, cleo]);
    const [adas, bens, cleos] = await Promise.all([ada, ben, cleo].map(({ token }) => connect(t, platform.url, { token })));
    const type = (state: string, id: string) => adas?.send({ type: 'typing', data: { session_id, state }, id });
    type('start', '1');
    const start = { session_id, member_id: ada.id, state: 'start' };
    t.same([(await bens?.next('typing'))?.data, (await cleos?.next('typing'))?.data], [start, start]);
    await cleo.http.sessions.remove_member({ session_id, member_id: cleo.id });
    type('stop', '2');
    t.match((await bens?.next('typing'))?.data, { state: 'stop' });
    bens?.send({ type: 'typing', data: { session_id, state: 'start' } });
    t.match((await adas?.next('typing'))?.data, { member_id: ben.id, state: 'start' });
    await ben.http.sessions.remove_member({ session_id, member_id: ben.id });
    t.match((await adas?.next('typing'))?.data, { member_id: ben.id, state: 'stop' });
    bens?.send({ type: 'typing', data: { session_id, state: 'start' } });
    t.match((await bens?.next('error'))?.data, { code: 'session_not_found' });
    t.equal(cleos?.of('typing').length, 1);
  });
});

t.test('in a large room one member in 4 s is shown as typing, and in a very large one nobody', async (t) => {
  let now = 1_000_000;
  let size = 51;
  const sent: string[] = [];
  const typing = new Typing({
    frames: {
      typing: (members: readonly number[], { member_id, state }: { member_id: number; state: string }) =>
        void sent.push(`${member_id} ${state} to ${members.length}`),
    } as never,
    sessions: {} as never,
    membership: { of: async () => ({ ids: Array.from({ length: size }, (_, at) => at + 1), room_no: 1 }) } as never,
    clock: { now: () => now, iso: () => new Date(now).toISOString() } as never,
    log: { warn: (message: string) => t.fail(message) } as never,
  });
  t.teardown(() => typing.dispose());
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  for (const member_id of [1, 2, 3]) typing.start({ session_id: 'a', member_id }, 'room');
  await settled();
  t.same(sent.splice(0), ['1 start to 50']);
  for (const member_id of [1, 2, 3]) typing.stop({ session_id: 'a', member_id });
  await settled();
  t.same(sent.splice(0), ['1 stop to 50'], 'only who was shown stops');
  now += 4_000;
  typing.start({ session_id: 'a', member_id: 2 }, 'room');
  await settled();
  t.same(sent.splice(0), ['2 start to 50']);
  size = 501;
  now += 4_000;
  typing.start({ session_id: 'a', member_id: 3 }, 'room');
  await settled();
  t.same(sent, []);
});
