import t from 'tap';
import type { AgentsApi } from '../../../extensions/agents/contract.js';
import type { ChatApi, Sent } from '../../../extensions/chat/contract.js';
import type { Notification, NotificationsApi } from '../../../extensions/notifications/contract.js';
import { migration } from '../../../extensions/notifications/migrations/0001-notifications.js';
import { HandledEvents } from '../../../extensions/notifications/store/handled-events-sql.js';
import { type Client, connect } from '../../../kernel/client/connect.js';
import { direct } from '../../../kernel/client/direct.js';
import { eachDatabase } from '../../helpers/databases.js';
import { becomes, until } from '../../helpers/eventually.js';
import { callerOf, fixture, ownExtension, startPlatform, type TestPlatform } from '../../helpers/platform.js';
import { administrator, onEach, type Person, pending, pigeon, socket, someone, withChat } from './world.js';

const emit = (platform: TestPlatform, topic: string, payload: object) => pigeon(platform).emit({ topic, payload });

/** Waits for so many that are pending; by their titles, since each topic is listened to by itself. */
async function told(client: Pick<Person, 'http'>, count: number): Promise<Notification[]> {
  const found = await until(
    () => pending(client.http),
    ({ length }) => length >= count,
  );
  return found.sort((one, other) => (one.title < other.title ? -1 : 1));
}

/** The installation's own administrator. */
function adminOf({ kernel }: TestPlatform): Pick<Person, 'http'> {
  return { http: connect<NotificationsApi>(kernel.operations(), direct(kernel)).notifications };
}

async function inChat(platform: TestPlatform, { token }: Person): Promise<Client<ChatApi & AgentsApi>> {
  const caller = await platform.kernel.tokenCaller(token, 'direct');
  return connect<ChatApi & AgentsApi>(platform.kernel.operations(), direct(platform.kernel, caller));
}

t.test("administrators are notified of an extension that can't start", async (t) => {
  const extensions = [ownExtension('members'), ownExtension('notifications'), fixture('broken-activate')];
  const platform = await startPlatform(t, { extensions });
  const admin = adminOf(platform);
  // Events from before the listeners' first start are lost, so this retries until they listen.
  const failing = async () => {
    await t.rejects(platform.kernel.invoke('plugins.enable', { name: 'broken-activate' }, callerOf()), { code: 'extension_failed' });
    return pending(admin.http);
  };
  await until(failing, ({ length }) => length > 0);
  t.match(await told(admin, 1), [{ source: 'system', title: "The extension 'broken-activate' failed", summary: /./ }]);
});

t.test('events notify the members concerned', async (t) => {
  await onEach(t, async (t, platform) => {
    const [ada, admin] = [await someone(t, platform), adminOf(platform)];
    const budget = {
      day: '2026-01-02',
      used: 80,
      limit: 100,
      paused: false,
      resets_at: '2026-01-03T00:00:00.000Z',
      member_id: 9,
      name: 'Vic',
    };
    await emit(platform, 'agents.budget', { ...budget, percent: 80 });
    await emit(platform, 'agents.budget', { ...budget, used: 101, percent: 100 });
    const schedule = { schedule_id: 4, name: 'Nightly', created_by: ada.id };
    await emit(platform, 'schedules.stopped', { ...schedule, reason: 'five_failures', result: 'no space' });
    t.match(await told(admin, 3), [
      { source: 'schedule', title: "The schedule 'Nightly' was stopped", summary: /^Five runs in a row failed.*\nno space$/s },
      { source: 'system', title: "Vic has used 80 % of today's tokens", summary: /80 of 100 tokens on 2026-01-02/ },
      { source: 'system', title: "Vic has used all of today's tokens and is paused" },
    ]);

    await emit(platform, 'agents.limit_reached', {
      member_id: 9,
      requested_by: ada.id,
      session_id: null,
      task_id: null,
      code: 'step_limit',
      message: 'After 50 steps',
    });
    await emit(platform, 'schedules.reported', { ...schedule, run_id: 1, status: 'failed', error_code: 'timeout', result: 'too slow' });
    await emit(platform, 'schedules.reported', { ...schedule, run_id: 2, status: 'failed', error_code: 'timeout', result: 'too slow' });
    await emit(platform, 'schedules.reported', { ...schedule, run_id: 3, status: 'success', error_code: null, result: 'all well' });
    const room = { session_id: '00000000-0000-4000-8000-000000000001', room_title: 'Jam' };
    const approval = { id: 'a1', member_id: 999, name: 'shell', expires_at: '2026-01-03T00:00:00.000Z', ...room };
    await emit(platform, 'agents.approval_required', { approval, members: [ada.id] });
    t.match(await told(ada, 4), [
      { source: 'ai_message', title: 'An AI employee asks for approval: shell', summary: /everyone in the room 'Jam' \(0/ },
      { source: 'ai_message', title: 'An AI employee was stopped: step_limit', summary: 'After 50 steps' },
      { source: 'schedule', title: "The schedule 'Nightly' did not succeed: failed", summary: 'timeout\ntoo slow' },
      { source: 'schedule', title: "The schedule 'Nightly' has run", summary: 'all well' },
    ]);
    const counted = async () => Math.max(...(await pending(ada.http)).map(({ count }) => count));
    await becomes(t, counted, 2);
    t.equal((await pending(ada.http)).length, 4, 'two equal failures are one notification with a count');
  });
});

t.test('a repeated event is handled once, and a failed one again', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('notifications', [migration]);
    const heard = new HandledEvents(data.facade('notifications'));
    const told: string[] = [];
    const hear = (topic: string, cursor: string) => heard.handleOnce(topic, cursor, async () => told.push(`${topic} ${cursor}`));
    await hear('a', '01.01');
    await hear('a', '01.01');
    await hear('b', '01.01');
    await t.rejects(
      heard.handleOnce('a', '01.02', async () => {
        throw new Error('not now');
      }),
    );
    await hear('a', '01.02');
    await hear('a', '01.02');
    t.same(told, ['a 01.01', 'b 01.01', 'a 01.02']);
  });
});

t.test('a finished reply notifies an offline member, but not an online one', async (t) => {
  await onEach(
    t,
    async (t, platform) => {
      const { id: target_id } = await administrator(platform).members.create_virtual({ name: 'Vic' });
      const [ada, bob] = [await someone(t, platform), await someone(t, platform)];
      await socket(t, platform, bob);
      const [adas, bobs] = [await inChat(platform, ada), await inChat(platform, bob)];
      await answered(bobs, await bobs.chat.send({ content: '/help', target_id }));
      await answered(adas, await adas.chat.send({ content: '/help', target_id }));
      const [told_of] = await told(ada, 1);
      t.match(told_of, { source: 'ai_message', title: 'Vic has answered' });
      t.ok(told_of && told_of.summary.length > 10 && told_of.summary.length <= 100);
      t.same(await bob.http.unread_count({}), { unread: 0 });
      await answered(adas, await adas.chat.send({ content: '/help', target_id }));
      t.equal((await told(ada, 2)).length, 2, 'each reply has its own notification');
    },
    withChat,
  );
});

t.test('an approval notifies the members who may decide, even online; a stopped reply notifies nobody', async (t) => {
  await onEach(
    t,
    async (t, platform) => {
      const { id: target_id } = await administrator(platform).members.create_virtual({ name: 'Vic', mode: 'supervised' });
      const ada = await someone(t, platform);
      const device = await socket(t, platform, ada);
      const chat = await inChat(platform, ada);
      const sent = await chat.chat.send({ content: '/call members.get {"id": 1}', target_id });
      const { data } = await device.next('notification');
      t.match(data, { source: 'ai_message', title: 'Vic asks for approval: members.get', status: 'sent' });
      await chat.chat.abort({ message_id: sent.message_id });

      const bob = await someone(t, platform);
      const away = await inChat(platform, bob);
      const stopped = await away.chat.send({ content: '/call members.get {"id": 1}', target_id });
      await told(bob, 1);
      await away.chat.abort({ message_id: stopped.message_id });
      await answered(away, await away.chat.send({ content: '/help', session_id: stopped.session_id }));
      t.same(
        (await told(bob, 2)).map(({ title }) => title),
        ['Vic asks for approval: members.get', 'Vic has answered'],
        'only the later reply ended by itself',
      );
    },
    withChat,
  );
});

async function answered(client: Client<ChatApi>, { task_id }: Sent): Promise<void> {
  await until(
    () => client.tasks.get({ task_id: task_id as string }),
    ({ status }) => status === 'completed',
  );
}

t.test('lost nodes notify administrators once, and their return does not', async (t) => {
  await onEach(t, async (t, platform) => {
    const admin = adminOf(platform);
    const node = { id: 5, name: 'box', draining: false };
    const away = { ...node, status: 'offline', previous: 'online', reason: 'Nobody listens there', reason_code: 'engine_unavailable' };
    // Events from before the listeners' first start are lost, so this retries until they listen.
    const heard = async () => {
      await emit(platform, 'nodes.changed', { ...away, id: 1, name: 'first' });
      await emit(platform, 'nodes.incident', { id: 1, name: 'first', code: 'died', message: 'It ended' });
      return pending(admin.http);
    };
    await until(heard, ({ length }) => length === 2);
    await emit(platform, 'nodes.changed', away);
    await emit(platform, 'nodes.changed', { ...away, previous: 'offline', reason_code: 'tls_untrusted' });
    await emit(platform, 'nodes.changed', { ...away, status: 'online', previous: 'offline', reason: '', reason_code: '' });
    await emit(platform, 'nodes.changed', { ...away, reason_code: 'out_of_memory' });
    await emit(platform, 'nodes.incident', { id: 5, name: 'box', code: 'out_of_memory', message: 'It ran out of 512m' });
    await emit(platform, 'nodes.changed', { ...away, status: 'error', reason: 'Its container is gone', reason_code: 'container_missing' });
    await emit(platform, 'nodes.incident', { id: 5, name: 'box', code: 'unhealthy', message: 'Its check fails' });
    await emit(platform, 'nodes.changed', { ...away, id: 6, name: 'last' });
    await until(
      () => pending(admin.http),
      (all) => all.some(({ title }) => title.includes("'last'")),
    );
    t.match(await told(admin, 7), [
      { source: 'system', title: 'A work node ended and was started again', summary: 'It ended' },
      { source: 'system', title: 'A work node is not healthy', summary: 'Its check fails' },
      { source: 'system', title: 'A work node ran out of memory', summary: 'It ran out of 512m' },
      { source: 'system', title: "The work node 'box' has failed", summary: 'Its container is gone' },
      { source: 'system', title: "The work node 'box' is offline", summary: 'Nobody listens there' },
      { source: 'system', title: "The work node 'first' is offline" },
      { source: 'system', title: "The work node 'last' is offline" },
    ]);
    t.equal((await pending(admin.http)).length, 7);
  });
});
