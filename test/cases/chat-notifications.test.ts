import t, { type Test } from 'tap';
import type { Notification } from '../../extensions/notifications/contract.js';
import type { SchedulesApi } from '../../extensions/schedules/contract.js';
import { connect } from '../../kernel/client/connect.js';
import { direct } from '../../kernel/client/direct.js';
import { administrator, collect, login, type Someone, someone } from '../extensions/chat/world.js';
import { fly, type Notified, notificationsOf, socket } from '../extensions/notifications/world.js';
import { becomes, until } from '../helpers/eventually.js';
import { adminPassword, fixture, ownExtension, startPlatform, type TestPlatform } from '../helpers/platform.js';
import { mentionCases } from './chat/mentions.js';

const extensions = [...['members', 'chat', 'agents', 'notifications', 'schedules'].map(ownExtension), fixture('pigeon')];

interface Person extends Someone {
  notifications: Notified;
}

async function person(t: Test, platform: TestPlatform): Promise<Person> {
  const who = await someone(t, platform);
  return { ...who, notifications: notificationsOf(t, platform, who.token) };
}

async function anotherAdmin(t: Test, platform: TestPlatform, username: string): Promise<Pick<Person, 'notifications'>> {
  await administrator(platform).members.create({ username, password: adminPassword, role: 'admin' });
  return { notifications: notificationsOf(t, platform, (await login(t, platform, username)).token) };
}

/** The unread ones, whether a channel has accepted them or not. */
async function inbox({ notifications }: Pick<Person, 'notifications'>): Promise<Notification[]> {
  const page = await notifications.list({ status: 'all', source: '', page: 1, limit: 20 });
  return page.notifications.filter(({ read_at }) => read_at === '');
}

function told(who: Pick<Person, 'notifications'>, count = 1): Promise<Notification[]> {
  return until(
    () => inbox(who),
    ({ length }) => length >= count,
  );
}

const unread = async ({ notifications }: Person) => (await notifications.unread_count({})).unread;
const startOfDirect = { source: 'system', kind: 'direct_message', title: /has written to you/ };

t.test('conversations create notifications', async (t) => {
  const platform = await startPlatform(t, { extensions });
  const { id: vic } = await administrator(platform).members.create_virtual({ name: 'Vic' });
  // Events before the listeners' first start notify nobody: retry until they listen.
  const [one, other] = [await person(t, platform), await person(t, platform)];
  const heard = async () => {
    await one.http.chat.send({ content: 'Hello', target_type: 'member', target_id: other.id });
    await one.http.chat.send({ content: `Ask @${other.name}`, target_id: vic });
    return (await inbox(other)).length;
  };
  await until(heard, (count) => count === 2);
  await told(one);

  await t.test('a message to an offline colleague notifies by all channels once until it is read', async (t) => {
    const [ada, ben] = [await person(t, platform), await person(t, platform)];
    const flown = fly();
    await ben.notifications.set_preferences({ channels: { pigeon: { enabled: true, settings: { address: 'roof' } } } });
    const { session_id, message_id } = await ada.http.chat.send({ content: 'Lunch at noon?', target_type: 'member', target_id: ben.id });
    const [first] = await told(ben);
    t.match(first, {
      ...startOfDirect,
      summary: 'Lunch at noon?',
      link: `/chat/${session_id}`,
      session_id,
      message_id,
      from_member_id: ada.id,
      task_id: null,
      schedule_id: null,
      count: 1,
    });
    await ada.http.chat.send({ content: 'Hello?', session_id });
    const counted = await until(
      () => inbox(ben),
      (all) => all[0]?.count === 2,
    );
    t.equal(counted.length, 1, 'the second message is counted');
    await until(() => flown.length, Boolean);
    t.equal(flown.length, 1);
    await ben.http.unread.mark_read({ session_id });
    t.equal(await unread(ben), 0, 'reading the conversation reads the notification');
    await ada.http.chat.send({ content: 'And now?', session_id });
    await becomes(t, () => unread(ben), 1);
    await until(
      () => flown.length,
      (count) => count === 2,
    );
    t.equal(await unread(ada), 0, 'senders are not notified of their own messages');
    await ben.http.chat.send({ content: 'Yes', session_id });
    await becomes(t, () => unread(ben), 0);
  });

  await t.test('a member who is online or reads the conversation is not notified', async (t) => {
    const [ada, ben, cleo, last] = [
      await person(t, platform),
      await person(t, platform),
      await person(t, platform),
      await person(t, platform),
    ];
    await socket(t, platform, ben);
    await ada.http.chat.send({ content: 'Hello', target_type: 'member', target_id: ben.id });
    const { session_id } = await ada.http.chat.send({ content: 'Hello', target_type: 'member', target_id: cleo.id });
    await told(cleo);
    const stop = new AbortController();
    const stream = cleo.http.sessions.stream({ session_id }, { signal: stop.signal })[Symbol.asyncIterator]();
    const reading = stream.next();
    const sent = async () => {
      await ada.http.chat.send({ content: 'Are you there?', session_id });
      return Promise.race([reading.then(() => true), new Promise<false>((resolve) => setTimeout(resolve, 50, false))]);
    };
    await until(sent, Boolean);
    await becomes(t, async () => (await cleo.http.unread.counts()).counts[session_id], 0);
    await becomes(t, () => unread(cleo), 0);
    await ada.http.chat.send({ content: 'One more', session_id });
    await stream.next();
    await ada.http.chat.send({ content: 'And one that names no conversation', target_type: 'member', target_id: cleo.id });
    await stream.next();
    await ada.http.chat.send({ content: 'Hello', target_type: 'member', target_id: last.id });
    await told(last);
    t.same([await unread(ben), await unread(cleo)], [0, 0]);
    const { total } = await cleo.notifications.list({ status: 'all', source: '', page: 1, limit: 20 });
    t.equal(total, 1, 'only the first message was missed');
    stop.abort();
  });

  await t.test('a reply read to its end is not unread and does not notify', async (t) => {
    const [ada, last] = [await person(t, platform), await person(t, platform)];
    const sent = await ada.http.chat.send({ content: '/help', target_id: vic });
    await collect(ada.http.messages.stream({ message_id: sent.message_id }));
    t.same((await ada.http.unread.counts()).counts, { [sent.session_id]: 0 });
    const again = await ada.http.chat.send({ content: '/tools', session_id: sent.session_id });
    await collect(ada.http.tasks.stream({ task_id: again.task_id as string }));
    t.same((await ada.http.unread.counts()).counts, { [sent.session_id]: 0 });
    await last.http.chat.send({ content: '/help', target_id: vic });
    const [answer] = await told(last);
    t.match(answer, {
      source: 'ai_message',
      kind: 'answer',
      title: 'Vic has answered',
      from_member_id: vic,
      session_id: String,
      task_id: String,
    });
    t.equal(answer?.link, `/chat/${answer?.session_id}`);
    t.equal(await unread(ada), 0);
    await collect(last.http.messages.stream({ message_id: answer?.message_id as string }));
    await becomes(t, () => unread(last), 0);
    t.same((await last.http.unread.counts()).counts, { [answer?.session_id as string]: 0 }, 'the answer stays read afterwards');
  });

  await t.test('reading an earlier message leaves later ones unread', async (t) => {
    const [ada, ben] = [await person(t, platform), await person(t, platform)];
    const first = await ada.http.chat.send({ content: 'One', target_type: 'member', target_id: ben.id });
    await ada.http.chat.send({ content: 'Two', session_id: first.session_id });
    await collect(ben.http.messages.stream({ message_id: first.message_id }));
    t.same((await ben.http.unread.counts()).counts, { [first.session_id]: 1 });
    t.equal((await told(ben)).length, 1, 'its notification stays unread too');
  });

  await t.test('a channel delivers the chosen kinds, by default all', async (t) => {
    const [ada, ben] = [await person(t, platform), await person(t, platform)];
    const flown = fly();
    const pigeon = { enabled: true, settings: { address: 'roof' }, kinds: ['mention' as const] };
    t.match(await ben.notifications.set_preferences({ channels: { pigeon } }), {
      channels: { pigeon: { kinds: ['mention'] }, web: { kinds: null } },
    });
    await ada.http.chat.send({ content: 'Hello', target_type: 'member', target_id: ben.id });
    await told(ben);
    await ada.http.chat.send({ content: `Ask @${ben.name}`, target_id: vic });
    await until(() => flown.length, Boolean);
    t.match(
      flown.map(({ note }) => note.title),
      [/has mentioned you/],
    );
    await t.rejects(ben.notifications.set_preferences({ channels: { pigeon: { kinds: ['gossip' as never] } } }), { code: 'invalid_input' });
    t.match(await ben.notifications.set_preferences({ channels: { pigeon: { kinds: null } } }), { channels: { pigeon: { kinds: null } } });
  });

  await t.test('members of the session see where they are mentioned, others only by whom', async (t) => {
    const [ada, ben, cleo] = [await person(t, platform), await person(t, platform), await person(t, platform)];
    const session = await ada.http.sessions.create({
      title: `Plans of @${ben.name} and @${cleo.name}`,
      target_type: 'member',
      target_id: ben.id,
    });
    t.match(await told(ben), [
      { kind: 'mention', source: 'system', session_id: session.id, link: `/chat/${session.id}`, from_member_id: ada.id },
    ]);
    const [outside] = await told(cleo);
    t.match(outside, { kind: 'mention', session_id: null, link: null, message_id: null, from_member_id: ada.id });
    t.notMatch(JSON.stringify(outside), /Plans/);
    await ada.http.chat.send({ content: `Secret plan, @${cleo.name}`, target_id: vic });
    await until(
      () => inbox(cleo),
      (all) => all[0]?.count === 2,
    );
    t.notMatch(JSON.stringify(await inbox(cleo)), /Secret/);
    t.equal((await inbox(cleo)).length, 1, "each sender's mention gives one notification until it is read");
  });

  await t.test('a schedule can mention members', async (t) => {
    const ben = await person(t, platform);
    const second = await anotherAdmin(t, platform, 'second.admin');
    const { schedules } = connect<SchedulesApi>(platform.kernel.operations(), direct(platform.kernel));
    const params = { prompt: `Write to @${ben.name} and @second.admin.` };
    const made = await schedules.create({ name: 'Weekly', trigger_type: 'interval', trigger_value: '24h', action: 'tasks.run', params });
    t.match(await told(ben), [{ kind: 'mention', schedule_id: null, link: null, from_member_id: 1 }]);
    const [mine] = await told(second);
    t.match(mine, { kind: 'mention', schedule_id: made.id, link: `/schedules/${made.id}`, summary: "In the schedule 'Weekly'." });
  });

  for (const { name, source, text, mentioned } of mentionCases)
    await t.test(`${name} (${source})`, async (t) => {
      const [ada, ben, last] = [await person(t, platform), await person(t, platform), await person(t, platform)];
      await ada.http.chat.send({ content: text.replaceAll('NAME', ben.name), target_id: vic });
      await ada.http.chat.send({ content: `@${last.name}`, target_id: vic });
      await told(last);
      t.equal(await unread(ben), mentioned ? 1 : 0);
    });
});
