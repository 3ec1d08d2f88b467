import t, { type Test } from 'tap';
import type { Session } from '../../../extensions/chat/contract.js';
import type { Notification } from '../../../extensions/notifications/contract.js';
import { migration } from '../../../extensions/notifications/migrations/0001-notifications.js';
import { HandledEvents } from '../../../extensions/notifications/store/handled-events-sql.js';
import { eachDatabase } from '../../helpers/databases.js';
import { becomes, until } from '../../helpers/eventually.js';
import type { TestPlatform } from '../../helpers/platform.js';
import { connect as openSocket } from '../../kernel/platform/http/socket/client.js';
import { someone as anybody, login, type Someone } from '../chat/world.js';
import { administrator, all, type Notified, notificationsOf, onEach, pending, socket, withChat } from './world.js';

interface Person extends Someone {
  inbox: Notified;
}

async function people(t: Test, platform: TestPlatform, count: number): Promise<Person[]> {
  const found: Person[] = [];
  for (let n = 0; n < count; n += 1) {
    const one = await anybody(t, platform);
    found.push({ ...one, inbox: notificationsOf(t, platform, one.token) });
  }
  return found;
}

function roomOf(owner: Person, others: readonly Person[], title = 'Launch'): Promise<Session> {
  return owner.http.sessions.create({ title, target_type: 'room', target_id: '', member_ids: others.map(({ id }) => id) });
}

/** Returns the unread notifications as kind, title and count, oldest first. */
async function unread({ inbox }: Person): Promise<(string | number)[][]> {
  const { notifications } = await inbox.list({ ...all, limit: 50 });
  return notifications
    .filter(({ status }) => status !== 'read')
    .map(({ kind, title, count }) => [kind, title, count])
    .reverse();
}

const invited = (by: Person) => ['invitation', `${by.name} has added you to 'Launch'`, 1];
const mentioned = (by: Person, count = 1) => ['mention', `${by.name} has mentioned you in 'Launch'`, count];
const written = (by: Person, count = 1) => ['room_message', `${by.name} has written in 'Launch'`, count];

t.test('members of a room are notified by level: of mentions, of everything or of nothing, once until they have read', async (t) => {
  await onEach(
    t,
    async (t, platform) => {
      const [ada, ben, cleo, dan] = (await people(t, platform, 4)) as [Person, Person, Person, Person];
      const { id: session_id } = await roomOf(ada, [ben, cleo, dan]);
      for (const one of [ben, cleo, dan]) {
        await becomes(t, () => unread(one), [invited(ada)]);
        await one.http.unread.mark_read({ session_id });
        await becomes(t, () => unread(one), []);
      }
      await cleo.http.sessions.notifications({ session_id, level: 'all' });
      await dan.http.sessions.notifications({ session_id, level: 'none' });
      await ada.http.chat.send({ session_id, content: 'Good morning' });
      await becomes(t, () => unread(cleo), [written(ada)]);
      await ada.http.chat.send({ session_id, content: `@${ben.name} and @${dan.name}` });
      await becomes(t, () => unread(ben), [mentioned(ada)]);
      await becomes(t, () => unread(cleo), [written(ada, 2)]);
      await ada.http.chat.send({ session_id, content: `@${ben.name} and @${cleo.name}: hello?` });
      await becomes(t, () => unread(ben), [mentioned(ada, 2)]);
      await becomes(t, () => unread(cleo), [mentioned(ada, 3)]);
      const [record] = (await cleo.inbox.list(all)).notifications;
      t.match(record, { source: 'system', link: `/chat/${session_id}`, session_id, from_member_id: ada.id, summary: /hello\?$/ });
      await ben.http.unread.mark_read({ session_id });
      await becomes(t, () => unread(ben), []);
      await ben.http.sessions.notifications({ session_id, muted_until: '2050-01-01T00:00:00.000Z' });
      await ada.http.chat.send({ session_id, content: '@room to the kitchen' });
      await becomes(t, () => unread(cleo), [mentioned(ada, 4)]);
      await cleo.http.unread.mark_read({ session_id });
      await ada.http.chat.send({ session_id, content: '@room again' });
      await becomes(t, () => unread(cleo), [['mention', `${ada.name} has mentioned everybody in 'Launch'`, 1]]);
      t.same([await unread(ada), await unread(ben), await unread(dan)], [[], [], []], 'not the sender, who has muted it, or wants none');
    },
    withChat,
  );
});

t.test("an AI employee's answer notifies members with the level all once, and an asker who is away once", async (t) => {
  await onEach(
    t,
    async (t, platform) => {
      const [ada, ben, cleo, dan] = (await people(t, platform, 4)) as [Person, Person, Person, Person];
      const vic = await administrator(platform).members.create_virtual({ name: 'Vic', post: '', mode: 'assistant' });
      const made = { title: 'Launch', target_type: 'room', target_id: '', member_ids: [ben.id, cleo.id, dan.id, vic.id] } as const;
      const { id: session_id } = await ada.http.sessions.create(made);
      for (const one of [ben, cleo, dan]) {
        await becomes(t, () => unread(one), [invited(ada)]);
        await one.http.unread.mark_read({ session_id });
        await becomes(t, () => unread(one), []);
      }
      for (const one of [ada, ben, dan]) await one.http.sessions.notifications({ session_id, level: 'all' });
      await dan.http.sessions.notifications({ session_id, muted_until: '2050-01-01T00:00:00.000Z' });
      await ada.http.chat.send({ session_id, content: `@${vic.username} /help` });
      await becomes(t, () => unread(ben), [written(ada, 2)]);
      await becomes(t, () => unread(ada), [['answer', 'Vic has answered', 1]]);
      await ada.http.chat.send({ session_id, content: `@${vic.username} /help` });
      await becomes(t, () => unread(ben), [written(ada, 4)]);
      t.same([await unread(cleo), await unread(dan)], [[], []]);
      await socket(t, platform, ada);
      await ada.http.unread.mark_read({ session_id });
      await ada.http.chat.send({ session_id, content: `@${vic.username} /help` });
      await becomes(t, () => unread(ada), [['room_message', "Vic has written in 'Launch'", 1]]);
      const [shown] = (await ada.inbox.list(all)).notifications;
      t.match(shown, { source: 'ai_message', session_id, from_member_id: vic.id, summary: /I know/ });
    },
    withChat,
  );
});

t.test('a member who leaves a room keeps its notifications without texts, also in replayed frames', async (t) => {
  await onEach(
    t,
    async (t, platform) => {
      const [ada, ben, cleo] = (await people(t, platform, 3)) as [Person, Person, Person];
      const device = await socket(t, platform, ben);
      const { id: session_id } = await roomOf(ada, [ben, cleo]);
      const { cursor: after } = await device.next('notification');
      await ada.http.chat.send({ session_id, content: `@${ben.name} and @${cleo.name}: secret sauce` });
      t.match(await device.next('notification'), { data: { kind: 'mention', summary: /secret sauce/ } });
      const told = ({ inbox }: Person) =>
        until(
          async () => (await pending(inbox)).concat((await inbox.list({ ...all, status: 'sent' })).notifications),
          (found) => found.some(({ kind }) => kind === 'mention'),
        );
      t.match(textsOf(await told(ben)), /secret sauce/);
      t.match(textsOf(await told(cleo)), /secret sauce/);
      await ben.http.sessions.remove_member({ session_id, member_id: ben.id });
      const again = await openSocket(t, platform.url, { token: ben.token, query: { after: after as string } });
      t.match(await again.next('notification'), { data: { kind: 'mention', summary: '' } });
      await administrator(platform).members.update({ id: cleo.id, active: false });
      t.notMatch(textsOf(await told(ben)), /secret/);
      await administrator(platform).members.update({ id: cleo.id, active: true });
      t.notMatch(
        textsOf(await told({ ...cleo, inbox: notificationsOf(t, platform, (await login(t, platform, cleo.name)).token) })),
        /secret/,
      );
      t.match(await told(ben), [{ kind: 'mention', title: `${ada.name} has mentioned you in 'Launch'` }, { kind: 'invitation' }]);
    },
    withChat,
  );
});

t.test('a conversation of two that is muted, or has the level none, notifies nobody who is away', async (t) => {
  await onEach(
    t,
    async (t, platform) => {
      const [ada, ben, cleo] = (await people(t, platform, 3)) as [Person, Person, Person];
      const quiet = await ada.http.contacts.start({ member_id: ben.id });
      const muted = await ada.http.contacts.start({ member_id: cleo.id });
      await ben.http.sessions.notifications({ session_id: quiet.session_id, level: 'none' });
      await cleo.http.sessions.notifications({ session_id: muted.session_id, muted_until: '2050-01-01T00:00:00.000Z' });
      for (const { session_id } of [quiet, muted]) await ada.http.chat.send({ session_id, content: 'One' });
      await ben.http.sessions.notifications({ session_id: quiet.session_id, level: 'mentions' });
      await cleo.http.sessions.notifications({ session_id: muted.session_id, muted_until: null });
      for (const { session_id } of [quiet, muted]) await ada.http.chat.send({ session_id, content: 'Two' });
      for (const one of [ben, cleo]) {
        const found = await until(
          () => pending(one.inbox),
          ({ length }) => length > 0,
        );
        t.match(found, [{ kind: 'direct_message', summary: 'Two', count: 1 }]);
      }
    },
    withChat,
  );
});

t.test('an event for many members is handled in portions, and a repetition continues behind the last', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('notifications', [migration]);
    const handled = new HandledEvents(data.facade('notifications'));
    const members = Array.from({ length: 450 }, (_, at) => at + 1);
    const done: number[] = [];
    const event = { topic: 'a', cursor: '01.01' };
    const failing = handled.handleInPortions(event, members, async (some) => {
      if (some.includes(401)) throw new Error('not now');
      done.push(...some);
    });
    await t.rejects(failing, { message: 'not now' });
    t.equal(done.length, 400);
    const portions: number[] = [];
    const work = async (some: readonly number[]) => void portions.push(some.length);
    await handled.handleInPortions(event, members, work);
    t.same(portions, [50]);
    await handled.handleInPortions(event, members, work);
    await handled.handleInPortions({ topic: 'a', cursor: '01.02' }, members, work);
    t.same(portions, [50, 200, 200, 50]);
  });
});

function textsOf(notifications: readonly Notification[]): string {
  return notifications.map(({ summary }) => summary).join('\n');
}

t.test('a reported message notifies the other owners of its room, or the administrators, once for each member', async (t) => {
  await onEach(
    t,
    async (t, platform) => {
      const [ada, ben, cleo] = (await people(t, platform, 3)) as [Person, Person, Person];
      const admin = { inbox: notificationsOf(t, platform, (await login(t, platform)).token) } as Person;
      const { id: session_id } = await roomOf(ada, [ben, cleo]);
      const { message_id } = await ben.http.chat.send({ session_id, content: 'Nonsense' });
      await cleo.http.messages.report({ message_id, reason: 'It is rude' });
      await cleo.http.messages.report({ message_id, reason: 'It is very rude' });
      const title = `${cleo.name} has reported a message of ${ben.name}`;
      await becomes(t, () => unread(ada), [['report', `${title} in 'Launch'`, 1]]);
      const [record] = (await ada.inbox.list(all)).notifications;
      t.match(record, { source: 'system', summary: 'It is rude', link: `/chat/${session_id}`, session_id, message_id });
      t.match(record, { from_member_id: cleo.id });
      t.same(await unread(admin), []);

      const { message_id: owners } = await ada.http.chat.send({ session_id, content: 'More nonsense' });
      await ben.http.messages.report({ message_id: owners, reason: 'It is wrong' });
      const about = (by: Person, of: Person) => ['report', `${by.name} has reported a message of ${of.name}`, 1];
      await becomes(t, () => unread(admin), [about(ben, ada)]);
      const direct = await ben.http.chat.send({ content: 'Psst', target_type: 'member', target_id: ada.id });
      await ada.http.messages.report({ message_id: direct.message_id, reason: 'He bothers me' });
      await becomes(t, () => unread(admin), [about(ben, ada), about(ada, ben)]);
      const [latest] = (await admin.inbox.list(all)).notifications;
      t.match(latest, { summary: 'He bothers me', link: null, session_id: null, message_id: null, from_member_id: ada.id });
      // The owner who wrote a reported message is not notified of the report.
      await becomes(t, () => unread(ada), [
        ['report', `${title} in 'Launch'`, 1],
        ['direct_message', `${ben.name} has written to you`, 1],
      ]);
    },
    withChat,
  );
});
