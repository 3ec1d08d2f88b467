import t from 'tap';
import type { Contact } from '../../../extensions/chat/contract.js';
import { onOneAndTwo } from './scribe.js';
import { administrator, failureOf, onEachPlatform, type PlatformClient, someone } from './world.js';

const contactOf = async (client: PlatformClient, id: number): Promise<Contact | undefined> =>
  (await client.contacts.list({ offset: 0 })).find(({ member_id }) => member_id === id);

t.test('contacts are all other members, most recently active first, each with the shared session', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, bob] = [await someone(t, platform), await someone(t, platform)];
    const employee = await administrator(platform).members.create_virtual({ name: 'Vic', post: 'Clerk' });
    t.equal(await contactOf(ada.http, ada.id), undefined, 'the caller is not listed');
    const nothing = { session_id: null, last_message_at: null, unread_count: 0 };
    const person = {
      member_id: bob.id,
      username: bob.name,
      nickname: bob.name,
      is_virtual: false,
      role: 'member',
      post: '',
      oversight: false,
    };
    t.same(await contactOf(ada.http, bob.id), { ...person, presence: 'offline', node_status: null, ...nothing });
    t.match(await contactOf(ada.http, employee.id), { is_virtual: true, nickname: 'Vic', post: 'Clerk', presence: 'online', ...nothing });

    const started = await ada.http.contacts.start({ member_id: bob.id });
    t.match(started, { created: true, session: { id: started.session_id, target_type: 'member', target_id: String(bob.id) } });
    await ada.http.chat.send({ content: 'Hello', session_id: started.session_id });
    await ada.http.chat.send({ content: 'Are you there?', session_id: started.session_id });
    t.match(await contactOf(bob.http, ada.id), { session_id: started.session_id, unread_count: 2, last_message_at: String });
    const [first] = await bob.http.contacts.list({ offset: 0, limit: 1 });
    t.equal(first?.member_id, ada.id, 'the most recent partner comes first');
    t.same(
      (await bob.direct.contacts.list({ keyword: ada.name.slice(3), offset: 0 })).map(({ member_id }) => member_id),
      [ada.id],
    );
    t.same(await bob.direct.contacts.list({ keyword: ada.name, offset: 1 }), []);
  });
});

t.test('a pair shares one session, even if both open it at once on two instances', async (t) => {
  await onOneAndTwo(t, async (t, [one, two]) => {
    for (let turn = 0; turn < 5; turn += 1) {
      const [ada, bob] = [await someone(t, one), await someone(t, two)];
      const starts = [ada.http, bob.http, ada.direct, bob.direct].flatMap((client, n) => {
        const member_id = n % 2 === 0 ? bob.id : ada.id;
        return [client.contacts.start({ member_id }), client.contacts.start({ member_id: String(member_id) as unknown as number })];
      });
      const started = await Promise.all(starts);
      t.equal(new Set(started.map(({ session_id }) => session_id)).size, 1);
      t.equal(started.filter(({ created }) => created).length, 1, 'the session was opened once');
      for (const client of [ada.http, bob.http]) t.equal((await client.sessions.list({ limit: 20, offset: 0 })).length, 1);
    }
  });
});

t.test('opening a contact finds a session opened otherwise, shows a hidden one again, and replaces a deleted one', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const [ada, bob] = [await someone(t, platform), await someone(t, platform)];
    const employee = await administrator(platform).members.create_virtual({ name: 'Vic' });
    const opened = await ada.http.sessions.create({ title: 'Lunch', target_type: 'member', target_id: bob.id });
    t.match(await bob.http.contacts.start({ member_id: ada.id }), { session_id: opened.id, created: false, session: { title: 'Lunch' } });
    await bob.http.sessions.delete({ session_id: opened.id });
    t.match(await contactOf(bob.http, ada.id), { session_id: null });
    t.match(await bob.http.contacts.start({ member_id: ada.id }), { session_id: opened.id, created: false });
    t.match(await bob.http.sessions.get({ session_id: opened.id }), { title: 'Lunch' });

    const first = await ada.http.contacts.start({ member_id: employee.id });
    const other = await ada.http.sessions.create({ title: 'Other', target_type: 'ai', target_id: employee.id });
    await ada.http.sessions.delete({ session_id: first.session_id });
    t.match(await ada.http.contacts.start({ member_id: employee.id }), { session_id: other.id, created: false });
    await ada.http.sessions.delete({ session_id: other.id });
    const anew = await ada.http.contacts.start({ member_id: employee.id });
    t.match(anew, { created: true, session: { title: 'Vic', target_type: 'ai' } });
    t.notOk([first.session_id, other.id].includes(anew.session_id));
    await administrator(platform).members.delete({ id: bob.id });
    t.equal(await contactOf(ada.http, bob.id), undefined);
  });
});

t.test('a session without a named AI employee belongs to the one that answers in it', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const ada = await someone(t, platform);
    const [assistant] = await administrator(platform).members.list_virtual();
    const { session_id } = await ada.http.chat.send({ content: 'Hello', images: [], target_type: 'ai' });
    t.match(await contactOf(ada.http, assistant?.id ?? 0), { session_id, last_message_at: String });
    t.match(await ada.http.contacts.start({ member_id: assistant?.id ?? 0 }), { session_id, created: false });
    await administrator(platform).members.delete({ id: assistant?.id ?? 0 });
    t.match(
      await ada.http.sessions.create({ title: 'Alone', target_type: 'ai', target_id: '' }),
      { target_id: '' },
      'without a default employee the session belongs to nobody',
    );
  });
});

t.test('the caller and unknown members are not contacts', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const ada = await someone(t, platform);
    const invalid = { code: 'invalid_input', status: 400 };
    for (const member_id of [ada.id, 2_000_000_000, 0, -1]) {
      t.same(await failureOf(ada.http.contacts.start({ member_id })), invalid, String(member_id));
      t.same(await failureOf(ada.direct.contacts.start({ member_id })), invalid);
    }
  });
});
