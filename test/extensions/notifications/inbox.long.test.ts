import t from 'tap';
import type { Notification } from '../../../extensions/notifications/contract.js';
import { becomes, until } from '../../helpers/eventually.js';
import { failureOf } from '../chat/world.js';
import { administrator, all, notify, onEach, pending, pigeon, socket, someone } from './world.js';

const zoneless = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/;

t.test('a notification is pending, sent after the full list has shown it, then read', async (t) => {
  await onEach(t, async (t, platform) => {
    const ada = await someone(t, platform);
    const [id] = await notify(platform, { to: [ada.id], title: 'Node down', summary: 'It is gone', link: '/nodes/1' });
    const [first] = await pending(ada.http);
    t.match(first, { id, source: 'system', title: 'Node down', summary: 'It is gone', link: '/nodes/1', status: 'pending' });
    t.match(first, { im_channel: '', count: 1, error: null, read_at: '' });
    t.match(first?.created_at, zoneless, 'times have no zone');
    t.ok(Math.abs(Date.parse(`${first?.created_at}Z`) - Date.now()) < 60_000, 'times are in UTC');

    const shown = await ada.http.list(all);
    t.match(shown, { total: 1, page: 1, limit: 20, notifications: [{ id, status: 'pending' }] }, 'the status changes after the answer');
    await becomes(t, async () => (await ada.http.get({ id: id as number })).status, 'sent');
    t.match(await ada.http.get({ id: id as number }), { im_channel: 'web', deliveries: [] });
    t.match(await ada.http.list({ ...all, status: 'sent' }), { total: 1 });
    t.match(await ada.http.list({ ...all, status: 'pending' }), { total: 0, notifications: [] });

    t.same(await ada.http.read({ notification_ids: [id as number] }), { updated: 1, unread: 0 });
    t.same(await ada.http.read({ notification_ids: [id as number] }), { updated: 0, unread: 0 }, 'once');
    const read = await ada.http.get({ id: id as number });
    t.match(read, { status: 'read', im_channel: 'web' });
    t.match(read.read_at, zoneless);
    t.match(await ada.direct.list({ ...all, status: 'read' }), { total: 1, notifications: [{ id, read_at: read.read_at }] });
  });
});

t.test('lists are filtered and paged, latest first', async (t) => {
  await onEach(t, async (t, platform) => {
    const ada = await someone(t, platform);
    const ids: number[] = [];
    for (let n = 0; n < 7; n += 1) ids.push(...(await notify(platform, { to: [ada.id], source: n % 2 ? 'schedule' : 'ai_message' })));
    const idsOf = (notifications: Notification[]) => notifications.map(({ id }) => id);
    const latest = [...ids].reverse();
    const page = async (number: number) =>
      idsOf((await ada.http.list({ ...all, status: 'pending', limit: 3, page: number })).notifications);
    t.same([await page(1), await page(2), await page(3), await page(4)], [latest.slice(0, 3), latest.slice(3, 6), latest.slice(6), []]);
    const schedule = await ada.http.list({ ...all, status: 'pending', source: 'schedule' });
    t.same([schedule.total, idsOf(schedule.notifications)], [3, [ids[5], ids[3], ids[1]]]);
    await ada.http.read({ notification_ids: [ids[1] as number, ids[6] as number] });
    const read = await ada.http.list({ ...all, status: 'read' });
    t.same([read.total, idsOf(read.notifications)], [2, [ids[6], ids[1]]]);
    t.same(idsOf((await ada.http.list({ ...all, status: 'read', source: 'schedule' })).notifications), [ids[1]]);
    t.same(await ada.http.unread_count({}), { unread: 5 });
    t.match(await ada.http.list({ ...all, source: 'schedule' }), { total: 3 }, 'a filter by source does not filter by status');
    await becomes(t, async () => (await ada.http.list({ ...all, status: 'sent' })).total, 2);
  });
});

t.test("another member's notifications are not found and stay unchanged", async (t) => {
  await onEach(t, async (t, platform) => {
    const [ada, bob] = [await someone(t, platform), await someone(t, platform)];
    const [id] = (await notify(platform, { to: [ada.id] })) as [number];
    t.match(await failureOf(bob.http.get({ id })), { code: 'notification_not_found', status: 404 });
    const admin = await platform.kernel.invoke('notifications.list', {}, { ...(await platform.kernel.tokenCaller(bob.token, 'direct')) });
    t.match(admin.body, { total: 0 });
    t.same(await bob.http.read({ notification_ids: [id, 99_999_999] }), { updated: 0, unread: 0 });
    t.same(await bob.http.read({ all: true }), { updated: 0, unread: 0 });
    t.match(await ada.http.get({ id }), { status: 'pending' });
    t.same(await ada.http.unread_count({}), { unread: 1 });
    t.match(await failureOf(ada.http.read({})), { code: 'invalid_input', status: 400 });
    t.match(await failureOf(ada.http.read({ all: false })), { code: 'invalid_input', status: 400 });
  });
});

t.test('repetitions are counted while the notification is unread and recent, instead of notifying again', async (t) => {
  let shift_ms = 0;
  const clock = { now: () => Date.now() + shift_ms };
  await onEach(
    t,
    async (t, platform) => {
      shift_ms = 0;
      const [ada, bob] = [await someone(t, platform), await someone(t, platform)];
      const same = { to: [ada.id], title: 'Same', summary: 'text' };
      const [first] = (await notify(platform, same)) as [number];
      t.same(
        await notify(platform, { ...same, to: [bob.id, ada.id] }).then((ids) => ids.includes(first)),
        true,
        'other members get their own notification',
      );
      t.match(await ada.http.get({ id: first }), { count: 2 });
      t.match(await pending(bob.http), [{ count: 1 }]);
      for (const other of [{ title: 'Other' }, { summary: 'Other' }, { source: 'schedule' as const }]) {
        const [id] = await notify(platform, { ...same, ...other });
        t.not(id, first, JSON.stringify(other));
      }
      const [keyed] = (await notify(platform, { ...same, title: 'A', key: 'k' })) as [number];
      t.same(await notify(platform, { ...same, title: 'B', key: 'k' }), [keyed]);
      t.match(await ada.http.get({ id: keyed }), { title: 'A', count: 2 });

      shift_ms = 9 * 60_000;
      t.same(await notify(platform, same), [first]);
      shift_ms = 10 * 60_000 + 5_000;
      const [second] = (await notify(platform, same)) as [number];
      t.not(second, first, 'a repetition after ten minutes notifies again');
      await ada.http.read({ notification_ids: [second] });
      const [third] = (await notify(platform, same)) as [number];
      t.not(third, second, 'a repetition after reading notifies again');
      await ada.http.read({ all: true });
      const [fourth] = (await notify(platform, same)) as [number];
      t.not(fourth, third, 'a repetition after reading all notifies again');
      t.match(await ada.http.get({ id: fourth }), { count: 1, status: 'pending' });
    },
    { clock },
  );
});

t.test("notifying joins the caller's transaction and skips AI employees and deleted members", async (t) => {
  await onEach(t, async (t, platform) => {
    const ada = await someone(t, platform);
    const admin = administrator(platform);
    const { id: vic } = await admin.members.create_virtual({ name: 'Vic' });
    const { id: boss } = await admin.members.create({ username: `boss-${ada.id}`, password: 'correct horse', role: 'admin' });
    const lost = { to: [ada.id], source: 'system', title: 'Lost', summary: '' };
    await t.rejects(pigeon(platform).notify({ notice: lost, then_fail: true }));
    t.match(await ada.http.list(all), { total: 0 });
    t.equal((await notify(platform, { to: [vic, 987_654, ada.id, ada.id] })).length, 1);
    t.equal((await notify(platform, { to: 'admins' })).length, 2, 'administrators who are people are notified');
    t.same(await notify(platform, { to: [] }), []);
    const [long] = (await notify(platform, { to: [ada.id], title: 'é'.repeat(300), summary: `${'x'.repeat(3_998)}😀😀` })) as [number];
    const { title, summary } = await ada.http.get({ id: long });
    t.same([title.length, title.at(-1), summary], [200, '…', `${'x'.repeat(3_998)}…`], 'the text is truncated between characters');
    await admin.members.delete({ id: boss });
  });
});

t.test('frames reach every device at once; a connected device marks the notification as sent, and reads are announced', async (t) => {
  await onEach(t, async (t, platform) => {
    const [ada, bob] = [await someone(t, platform), await someone(t, platform)];
    const devices = [await socket(t, platform, ada), await socket(t, platform, ada)];
    const bobs = await socket(t, platform, bob);
    const [id] = (await notify(platform, { to: [ada.id], title: 'Hear' })) as [number];
    for (const device of devices) {
      const { data } = await device.next('notification');
      t.match(data, { id, title: 'Hear', status: 'sent', im_channel: 'web', read_at: '', count: 1 });
    }
    t.match(await ada.http.get({ id }), { status: 'sent', im_channel: 'web' });
    await notify(platform, { to: [ada.id], title: 'Hear' });
    for (const device of devices) t.match((await device.next('notification')).data, { id, count: 2 });

    const [other] = (await notify(platform, { to: [ada.id] })) as [number];
    await ada.http.read({ notification_ids: [id, 12_345_678] });
    for (const device of devices) t.same((await device.next('notification.read')).data, { ids: [id], unread: 1 });
    await ada.http.read({ all: true });
    for (const device of devices) t.same((await device.next('notification.read')).data, { ids: [], unread: 0, up_to: other });
    t.same(await ada.http.read({ all: true }), { updated: 0, unread: 0 });
    t.same(
      bobs.frames.map(({ type }) => type).filter((type) => type.startsWith('notification')),
      [],
    );
  });
});

t.test('without a connected device a notification waits', async (t) => {
  await onEach(t, async (t, platform) => {
    const ada = await someone(t, platform);
    const [id] = (await notify(platform, { to: [ada.id], title: 'Later' })) as [number];
    await platform.kernel.settled();
    t.match(await ada.http.get({ id }), { status: 'pending', im_channel: '' });
  });
});

t.test('deleting a member deletes its notifications', async (t) => {
  await onEach(t, async (t, platform) => {
    const ada = await someone(t, platform);
    const [id] = (await notify(platform, { to: [ada.id] })) as [number];
    await ada.http.read({ all: true });
    await administrator(platform).members.delete({ id: ada.id });
    const left = await platform.kernel.invoke('notifications.list', {}, { ...callerFor(ada.id) });
    t.match(left.body, { total: 0 });
    const found = platform.kernel.invoke('notifications.get', { id }, callerFor(ada.id));
    t.match(await failureOf(found), { code: 'notification_not_found' });
    t.same(await notify(platform, { to: [ada.id] }), []);
  });
});

function callerFor(member_id: number) {
  return {
    member_id,
    username: 'gone',
    role: 'member' as const,
    scopes: 'all' as const,
    door: 'direct' as const,
    address: '',
    token_id: '',
    expires_at: 0,
  };
}

t.test('members notify themselves, administrators everybody', async (t) => {
  await onEach(t, async (t, platform) => {
    const [ada, bob] = [await someone(t, platform), await someone(t, platform)];
    const note = { title: '  Buy milk ', summary: '' };
    const { notification_ids } = await ada.http.send(note);
    t.match(await ada.http.get({ id: notification_ids[0] as number }), { title: 'Buy milk', source: 'system', link: null });
    t.same((await ada.http.send({ ...note, member_ids: [ada.id] })).notification_ids, notification_ids);
    t.match(await failureOf(ada.http.send({ ...note, member_ids: [ada.id, bob.id] })), { code: 'forbidden', status: 403 });
    t.match(await pending(bob.http), []);
    const invoke = (change: object) =>
      platform.kernel.invoke(
        'notifications.send',
        { ...note, member_ids: [bob.id, bob.id] },
        { ...callerFor(1), role: 'admin', ...change },
      );
    const sent = await invoke({});
    t.equal((sent.body as { notification_ids: number[] }).notification_ids.length, 1);
    await invoke({ door: 'schedule' });
    await invoke({ door: 'tool' });
    t.same(
      await until(
        async () => (await pending(bob.http)).map(({ source }) => source),
        (found) => found.length === 3,
      ),
      ['ai_message', 'schedule', 'system'],
    );
    for (const link of ['javascript:alert(1)', '//evil.example', '/\\evil', 'ftp://x', 'data:text/html,x', '/a b']) {
      t.match(await failureOf(ada.http.send({ ...note, link })), { code: 'invalid_input' }, link);
    }
    for (const link of ['/chat/1?x=1#y', 'https://example.org/a', null]) {
      const { notification_ids: made } = await ada.http.send({ title: `To ${link}`, summary: '', link });
      t.match(await ada.http.get({ id: made[0] as number }), { link }, String(link));
    }
  });
});
