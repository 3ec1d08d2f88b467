import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { until } from '../../helpers/eventually.js';
import { type Client, connect as open } from '../../kernel/platform/http/socket/client.js';
import { gate, onOneAndTwo, scripted } from './scribe.js';
import { collect, type Someone, someone } from './world.js';

/** A socket that is told of all that comes from now on. */
async function connect(t: Test, url: string, who: Someone): Promise<Client> {
  const client = await open(t, url, who);
  await client.next('hello');
  return client;
}

t.test('a message is sent to the members of its session on every device, and to nobody else', async (t) => {
  await onOneAndTwo(t, async (t, [one, two]) => {
    const [ada, bob, eve] = [await someone(t, one), await someone(t, two), await someone(t, one)];
    const { session_id } = await ada.http.contacts.start({ member_id: bob.id });
    const [adas, bobs, phone, eves] = [
      await connect(t, one.url, ada),
      await connect(t, two.url, bob),
      await connect(t, one.url, bob),
      await connect(t, two.url, eve),
    ];
    const sent = await ada.http.chat.send({ content: 'Hello', session_id });
    const message = await bob.http.messages.get({ message_id: sent.message_id });
    for (const client of [adas, bobs, phone]) t.same((await client.next('message.created')).data, { message, truncated: false });
    for (const client of [bobs, phone]) t.same((await client.next('unread')).data, { session_id, count: 1 });
    t.same(adas.of('unread'), [], 'nothing was unread for the sender');

    bobs.send({ type: 'read', data: { session_id }, id: 7 });
    t.equal((await bobs.next('ack')).id, 7);
    const unread = (client: Client, counts: number[]) =>
      until(
        () => client.of('unread').map(({ data }) => data.count),
        (found) => found.length === counts.length,
      ).then((found) => t.same(found, counts));
    for (const client of [bobs, phone]) await unread(client, [1, 0]);
    t.match((await bob.http.unread.counts()).counts, { [session_id]: 0 });

    const long = '漢"'.repeat(16_000);
    await ada.http.chat.send({ content: long, session_id });
    const told = (await bobs.next('message.created')).data as { message: { content: string }; truncated: boolean };
    t.ok(
      told.truncated && told.message.content.length === 2_000 && long.startsWith(told.message.content),
      'a long message has only the start of its text',
    );
    await unread(bobs, [1, 0, 1]);
    await bob.http.chat.send({ content: 'Yes', session_id });
    await unread(bobs, [1, 0, 1, 0]);

    for (const type of ['read', 'typing']) {
      eves.send({ type, data: { session_id, state: 'start' }, id: type });
      t.match((await eves.next('error')).data, { code: 'session_not_found' }, type);
    }
    eves.send({ type: 'typing', data: { session_id: 'x', state: 'dances' } });
    t.match((await eves.next('error')).data, { code: 'invalid_input' });
    await sleep(100);
    t.same(
      eves.frames.map(({ type }) => type).filter((type) => !['hello', 'error', 'presence'].includes(type)),
      [],
    );
    t.notOk([adas, bobs, phone].some((client) => client.of('typing').length > 0));
  });
});

t.test('the frames of a reply cover it from its task to its end, and its writer is typing', async (t) => {
  await onOneAndTwo(t, async (t, [one, two]) => {
    const ada = await someone(t, one);
    const socket = await connect(t, two.url, ada);
    const [asking, decided] = [gate(), gate()];
    const message = await scripted(one, async (run) => {
      await run.write('One ');
      await run.approvals.required({ id: 'a' });
      asking.open();
      await decided.passed;
      await run.approvals.resolved({ id: 'a' });
      await run.write('two.');
    });
    const sent = await ada.http.chat.send(message);
    await asking.passed;
    decided.open();
    await collect(ada.http.messages.stream({ message_id: sent.message_id }));
    await until(
      () => socket.of('unread').length,
      (count) => count === 1,
    );
    await until(
      () => socket.of('typing').map(({ data }) => data.state),
      (states) => states.length === 4,
    );
    const { session_id, task_id } = sent;
    const states = socket.of('task.updated').map(({ data }) => (data.task as { id: string; status: string }).status);
    t.same(new Set(states), new Set(['queued', 'running', 'waiting_approval', 'completed']));
    t.equal(states.at(-1), 'completed');
    t.ok(socket.of('task.updated').every(({ data }) => (data.task as { id: string }).id === task_id));
    t.same(
      socket.of('message.created').map(({ data }) => (data.message as { role: string; status: string }).status),
      ['completed', 'streaming'],
    );
    t.match(socket.of('message.updated'), [{ data: { message: { content: 'One two.', status: 'completed', session_id } } }]);
    const member_id = message.target_id;
    t.same(
      socket.of('typing').map(({ data }) => data),
      ['start', 'stop', 'start', 'stop'].map((state) => ({ session_id, member_id, state })),
      'the writer is not typing while it waits for the approval',
    );
    t.same(socket.of('unread')[0]?.data, { session_id, count: 1 });
  });
});

t.test('typing is sent to the other members until a message, a stop, or for 10 s', async (t) => {
  await onOneAndTwo(t, async (t, [one, two]) => {
    const [ada, bob] = [await someone(t, one), await someone(t, two)];
    const { session_id } = await ada.http.contacts.start({ member_id: bob.id });
    const [adas, bobs] = [await connect(t, one.url, ada), await connect(t, two.url, bob)];
    const typing = (state: string) => adas.send({ type: 'typing', data: { session_id, state } });
    const told = async () => (await bobs.next('typing')).data;
    const of = (state: string) => ({ session_id, member_id: ada.id, state });
    typing('start');
    t.same(await told(), of('start'));
    for (let turn = 0; turn < 5; turn += 1) typing('start');
    typing('stop');
    t.same(await told(), of('stop'), 'repeated typing frames are not sent again');
    typing('start');
    t.same(await told(), of('start'));
    await ada.http.chat.send({ content: 'Here', session_id });
    t.same(await told(), of('stop'), 'a message ends the typing');
    typing('start');
    t.same(await told(), of('start'));
    const begun = Date.now();
    await until(
      () => bobs.of('typing').length,
      (count) => count === 6,
      15_000,
    );
    t.same(bobs.of('typing').at(-1)?.data, of('stop'));
    t.ok(Date.now() - begun > 9_000);
    t.same(adas.of('typing'), []);
  });
});
