import t from 'tap';
import type { SystemApi } from '../../../kernel/contract/system.js';
import { until } from '../../helpers/eventually.js';
import { callTools, type Exchange } from '../../helpers/model-server.js';
import { callerOf, startPlatform } from '../../helpers/platform.js';
import { connect, type Received, type Client as Socket } from '../../kernel/platform/http/socket/client.js';
import { employee, people, roomOf } from './room-members.js';
import { askInRoom, refusalsOf, watch } from './room-watch.js';
import { administrator, collect, failureOf, onEachPlatform, type Someone } from './world.js';

const day_ms = 86_400_000;

/** Ways to lose access to a room. */
const ways = ['leaves', 'is removed', 'is deactivated', 'is deleted'] as const;

for (const way of ways) {
  t.test(`a member who ${way} gets nothing more of the room, by streams, sockets or operations`, async (t) => {
    await onEachPlatform(t, async (t, world) => {
      const { platform } = world;
      const [ada, ben] = (await people(t, platform, 2)) as [Someone, Someone];
      const admin = administrator(platform);
      const { asked, inRoom } = await askInRoom(world, ada, [ben]);
      const { session_id, message_id } = inRoom;
      const open = await watch(t, platform, ben, inRoom);
      asked[0]?.text('Take quinces. ');
      await ada.http.chat.send({ session_id, content: `@${ben.name} look` });
      await until(
        () => open.socket.of('message.created').length,
        (length) => length > 1,
      );

      if (way === 'leaves') await ben.http.sessions.remove_member({ session_id, member_id: ben.id });
      if (way === 'is removed') await ada.http.sessions.remove_member({ session_id, member_id: ben.id });
      if (way === 'is deactivated') await admin.members.update({ id: ben.id, active: false });
      if (way === 'is deleted') await admin.members.delete({ id: ben.id });
      await ada.http.chat.send({ session_id, content: 'Secret sugar' });
      asked[0]?.text('Secret spice.', 'end');
      await collect(ada.http.messages.stream({ message_id }));

      const streams = await open.streams;
      t.notMatch(streams.join('\n'), /secret/i);
      if (way === 'is deactivated' || way === 'is deleted') {
        await open.socket.end();
        t.notMatch(JSON.stringify(open.socket.frames), /secret/i);
        return;
      }
      t.ok(
        streams.every((text) => text.endsWith('session_not_found')),
        'each stream ends with a failure',
      );
      const left = await until(
        () => open.socket.frames.findIndex(({ type }) => type === 'session.left'),
        (at) => at >= 0,
      );
      const note = await ben.http.chat.send({ content: 'To myself', target_type: '' });
      await until(
        () => open.socket.of('message.created').some(({ data }) => (data.message as { id: string }).id === note.message_id),
        (found) => found,
      );
      t.notMatch(JSON.stringify(open.socket.frames.slice(left + 1)), session_id);
      const again = await connect(t, platform.url, { token: ben.token, query: { after: open.before } });
      await again.next('hello');
      await until(
        () => again.of('message.created').some(({ data }) => (data.message as { id: string }).id === note.message_id),
        (found) => found,
      );
      const replayed = again.frames.filter((frame) => JSON.stringify(frame).includes(session_id));
      t.same(
        replayed.map(({ type }) => type),
        ['session.left'],
      );
      t.notMatch(JSON.stringify(replayed), /quince|look|secret/i);
      const shown = Object.entries(await refusalsOf(ben, inRoom, 'quince')).filter(([, found]) => found === 'shown');
      t.same(shown, []);
    });
  });
}

t.test(
  'tasks of a member who left the room have stopped when the answer comes, and those of an AI employee that was removed',
  async (t) => {
    await onEachPlatform(t, async (t, { platform, model }) => {
      const [ada, ben] = (await people(t, platform, 2)) as [Someone, Someone];
      const [vic, zoe] = [await employee(platform, `Vic ${ada.name}`), await employee(platform, `Zoe ${ada.name}`)];
      const { id: session_id } = await roomOf(ada, [ben, vic, zoe]);
      const asked: Exchange[] = [];
      model.script((exchange) => void asked.push(exchange));
      const his = await ben.http.chat.send({ session_id, content: `@${vic.username} hello` });
      await until(
        () => asked.length,
        (length) => length === 1,
      );
      const waiting = await ben.http.chat.send({ session_id, content: `@${vic.username} again` });
      const hers = await ada.http.chat.send({ session_id, content: `@${zoe.username} hello` });
      await until(
        () => asked.length,
        (length) => length === 2,
      );
      await ben.http.sessions.remove_member({ session_id, member_id: ben.id });
      await ada.http.sessions.remove_member({ session_id, member_id: zoe.id });
      t.same(await ben.http.tasks.active({}), []);
      const reasonOf = async (task_id: string | null) => (await ada.http.tasks.get({ task_id: task_id as string })).reason;
      t.same(await Promise.all([his, waiting, hers].map(({ task_id }) => reasonOf(task_id))), ['left_room', 'left_room', 'left_room']);
      await Promise.all(asked.map(({ closed }) => closed));
    });
  },
);

t.test('an approval of a member who leaves the room is denied, and shown to nobody any more', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const [ada, ben] = (await people(t, platform, 2)) as [Someone, Someone];
    const vic = await employee(platform, `Vic ${ada.name}`);
    const { id: session_id } = await roomOf(ada, [ben, vic]);
    const before = await connect(t, platform.url, { token: ben.token });
    const { cursor } = await before.next('hello').then(() => openNote(ben, before));
    model.script(callTools([{ name: 'sessions_list', arguments: { limit: 17 } }]));
    const { message_id } = await ben.http.chat.send({ session_id, content: `@${vic.username} look it up` });
    const events = collect(ada.http.messages.stream({ message_id }));
    const { data } = await before.next('approval.required');
    const { id } = data.approval as { id: string };
    await ben.http.sessions.remove_member({ session_id, member_id: ben.id });
    t.match(await failureOf(ben.http.approvals.get({ id })), { code: 'approval_not_found' });
    t.match(await failureOf(ben.http.approvals.decide({ id, decision: 'approve', reason: '' })), { code: 'approval_not_found' });
    t.same(await ben.http.approvals.list({ limit: 20, offset: 0 }), []);
    t.equal((await events).at(-1)?.type, 'done');
    const { cursor: last } = await openNote(ben, before);
    const again = await connect(t, platform.url, { token: ben.token, query: { after: cursor as string } });
    await until(
      () => again.frames.some((frame) => frame.cursor === last),
      (found) => found,
    );
    for (const { frames } of [{ frames: before.frames.slice(before.frames.findIndex(({ type }) => type === 'session.left')) }, again])
      t.notMatch(JSON.stringify(frames), /"approval\./);
    await ada.http.sessions.add_member({ session_id, member_ids: [ben.id] });
    t.match(await ben.http.approvals.get({ id }), { status: 'denied', reason: /left/ });
  });
});

/** Writes a note and returns its frame. */
async function openNote({ http }: Someone, socket: Socket): Promise<Received> {
  const { message_id } = await http.chat.send({ content: 'A note', target_type: '' });
  return until(
    () => socket.of('message.created').find(({ data }) => (data.message as { id: string }).id === message_id) as Received,
    (found) => found !== undefined,
  );
}

t.test('a demoted owner changes nothing more in the room', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, ben, cleo] = (await people(t, platform, 3)) as [Someone, Someone, Someone];
    const { id: session_id } = await roomOf(ada, [ben]);
    await ada.http.sessions.update_member({ session_id, member_id: ben.id, role: 'owner' });
    const { message_id } = await ada.http.chat.send({ session_id, content: 'Mine' });
    await ada.http.sessions.update_member({ session_id, member_id: ben.id, role: 'member' });
    t.match(await failureOf(ben.http.sessions.update({ session_id, title: 'His' })), { code: 'forbidden' });
    t.match(await failureOf(ben.http.sessions.add_member({ session_id, member_ids: [cleo.id] })), { code: 'forbidden' });
    t.match(await failureOf(ben.http.messages.delete({ message_id })), { code: 'not_your_message' });
    await ben.http.sessions.delete({ session_id });
    t.match(await ada.http.sessions.get({ session_id }), { member_count: 1 }, 'deleting only means leaving');
  });
});

t.test('administrators see the content of runs under oversight only in rooms that they are in', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const [ada] = (await people(t, platform, 1)) as [Someone];
    const admin = administrator(platform);
    const vic = await employee(platform, `Vic ${ada.name}`);
    await admin.agents.update({ member_id: vic.id, oversight: true });
    const { id: session_id } = await roomOf(ada, [vic]);
    const asked: Exchange[] = [];
    model.script((exchange) => void asked.push(exchange));
    const { task_id, message_id } = await ada.http.chat.send({ session_id, content: `@${vic.username} hello` });
    await until(
      () => asked.length,
      (length) => length === 1,
    );
    const run = { task_id: task_id as string };
    t.match(await admin.runs.get(run), { oversight: true, message: null, reply: null });
    await ada.http.sessions.add_member({ session_id, member_ids: [1] });
    t.match(await admin.runs.get(run), { oversight: true, message: { id: message_id }, reply: { status: 'streaming' } });
    await ada.http.chat.abort({ message_id });
  });
});

t.test('a room without people is removed after 30 days', async (t) => {
  let shift_ms = 0;
  const platform = await startPlatform(t, { clock: { now: () => Date.now() + shift_ms } });
  const [ada, ben] = (await people(t, platform, 2)) as [Someone, Someone];
  const vic = await employee(platform, 'Vic');
  const { id: session_id } = await roomOf(ada, [vic]);
  const { id: joined_again } = await roomOf(ada, [vic], { visibility: 'open' });
  await ada.http.chat.send({ session_id, content: 'Goodbye' });
  for (const id of [session_id, joined_again]) await ada.http.sessions.remove_member({ session_id: id, member_id: ada.id });
  await ben.http.sessions.join({ session_id: joined_again });
  const clean = async () => {
    const { body } = await platform.kernel.invoke('maintenance.cleanup', {}, callerOf());
    return (body as SystemApi['maintenance.cleanup']['answer']).removed.find(({ name }) => name === 'chat.rooms')?.rows;
  };
  shift_ms = 29 * day_ms;
  t.equal(await clean(), 0);
  shift_ms = 31 * day_ms;
  t.equal(await clean(), 1);
  t.equal(await clean(), 0);
  const { access_token: token } = await administrator(platform).auth.login({ username: ben.name, password: 'correct horse battery' });
  const caller = await platform.kernel.tokenCaller(token, 'direct');
  t.match((await platform.kernel.invoke('sessions.get', { session_id: joined_again }, caller)).body, { role: 'owner' });
});
