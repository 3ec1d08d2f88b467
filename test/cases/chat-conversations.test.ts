import t from 'tap';
import { connect } from '../../kernel/client/connect.js';
import { direct } from '../../kernel/client/direct.js';
import type { ServiceMembers } from '../../kernel/contract/index.js';
import { administrator, type PlatformApi, type PlatformClient, type Someone, someone } from '../extensions/chat/world.js';
import { ownExtension, startPlatform, type TestPlatform } from '../helpers/platform.js';

const contactOf = async (client: PlatformClient, { id }: Pick<Someone, 'id'>) =>
  (await client.contacts.list({ offset: 0 })).find(({ member_id }) => member_id === id);

/** A plugin's own member, as the kernel has it made. */
async function pluginMember({ kernel }: TestPlatform): Promise<{ id: number; client: PlatformClient }> {
  const [maker] = kernel.host.running.get('members')?.draft.slots.get('plugins.member') ?? [];
  const caller = await (maker as ServiceMembers).caller({ id: 'acme.hooks', name: 'Hooks' });
  return { id: caller.member_id, client: connect<PlatformApi>(kernel.operations(), direct(kernel, caller)) };
}

t.test('two people share conversations', async (t) => {
  const platform = await startPlatform(t, { extensions: ['members', 'chat', 'agents'].map(ownExtension) });

  await t.test('a message to a person without a session continues the existing conversation', async (t) => {
    const [ada, ben] = [await someone(t, platform), await someone(t, platform)];
    const to = (partner: Someone) => ({ target_type: 'member' as const, target_id: partner.id });
    const { session_id } = await ada.http.chat.send({ content: 'One', ...to(ben) });
    t.equal((await ada.http.chat.send({ content: 'Two', ...to(ben) })).session_id, session_id);
    t.equal((await ben.http.chat.send({ content: 'Three', ...to(ada) })).session_id, session_id);
    t.match(await ben.http.contacts.start({ member_id: ada.id }), { session_id, created: false });
    t.match(await ada.http.contacts.start({ member_id: ben.id }), { session_id, created: false });
    t.equal((await ada.http.sessions.list({ limit: 20, offset: 0 })).length, 1);
    const both = await Promise.all([ada, ben].map((one, at) => one.http.chat.send({ content: 'Four', ...to(at === 0 ? ben : ada) })));
    t.same(new Set(both.map((sent) => sent.session_id)), new Set([session_id]));
  });

  await t.test('two people who begin at the same moment share one conversation', async (t) => {
    const [ada, ben] = [await someone(t, platform), await someone(t, platform)];
    const sent = await Promise.all([
      ada.http.chat.send({ content: 'Hi', target_type: 'member', target_id: ben.id }),
      ben.http.chat.send({ content: 'Hi', target_type: 'member', target_id: ada.id }),
      ada.direct.contacts.start({ member_id: ben.id }),
    ]);
    t.equal(new Set(sent.map(({ session_id }) => session_id)).size, 1);
  });

  await t.test('another conversation is opened on request; contacts count all conversations and open the latest', async (t) => {
    const [ada, ben] = [await someone(t, platform), await someone(t, platform)];
    const first = await ada.http.chat.send({ content: 'One', target_type: 'member', target_id: ben.id });
    const second = await ada.http.chat.send({ content: 'Two', target_type: 'member', target_id: ben.id, new: true });
    const third = await ada.http.contacts.start({ member_id: ben.id, new: true });
    t.equal(new Set([first.session_id, second.session_id, third.session_id]).size, 3);
    t.equal(third.created, true);
    await ada.http.chat.send({ content: 'Three', session_id: first.session_id });
    t.match(await contactOf(ben.http, ada), { session_id: first.session_id, unread_count: 3 });
    t.match(await ben.http.contacts.start({ member_id: ada.id }), { session_id: first.session_id, created: false });
    await ben.http.unread.mark_read({ session_id: first.session_id });
    t.match(await contactOf(ben.http, ada), { unread_count: 1 });
    await ada.http.chat.send({ content: 'Four', session_id: second.session_id });
    t.match(await contactOf(ben.http, ada), { session_id: second.session_id, unread_count: 2 });
    t.match(await ada.http.contacts.start({ member_id: ben.id }), { session_id: second.session_id, created: false });
  });

  await t.test('a newer empty conversation does not replace one with messages', async (t) => {
    const [ada, ben] = [await someone(t, platform), await someone(t, platform)];
    const partner = { target_type: 'member' as const, target_id: ben.id };
    const one = await ada.http.sessions.create({ title: 'One', ...partner });
    const two = await ada.http.sessions.create({ title: 'Two', ...partner });
    t.match(
      await contactOf(ada.http, ben),
      { session_id: two.id, last_message_at: null },
      'without any message the newest conversation is opened',
    );
    const { session_id } = await ada.http.chat.send({ content: 'Hi', session_id: one.id });
    const empty = await ada.http.sessions.create({ title: 'Three', ...partner });
    for (const [member, other, unread_count] of [
      [ada, ben, 0],
      [ben, ada, 1],
    ] as const) {
      const found = await contactOf(member.http, other);
      t.match(found, { session_id, unread_count, last_message_at: String }, 'the contact opens the conversation with messages');
      t.match(await member.http.contacts.start({ member_id: other.id }), { session_id, created: false }, 'starting');
    }
    t.equal((await ben.http.chat.send({ content: 'Ho', target_type: 'member', target_id: ada.id })).session_id, session_id, 'sending');
    await ben.http.chat.send({ content: 'Here', session_id: empty.id });
    t.match(
      await contactOf(ada.http, ben),
      { session_id: empty.id, unread_count: 2 },
      'a message in the other conversation changes the contact',
    );
  });

  await t.test('a hidden conversation reappears when its owner writes to the other', async (t) => {
    const [ada, ben] = [await someone(t, platform), await someone(t, platform)];
    const { session_id } = await ada.http.chat.send({ content: 'One', target_type: 'member', target_id: ben.id });
    await ada.http.sessions.delete({ session_id });
    t.match(await contactOf(ada.http, ben), { session_id: null, unread_count: 0 });
    t.equal((await ada.http.chat.send({ content: 'Two', target_type: 'member', target_id: ben.id })).session_id, session_id);
  });

  await t.test('each message to an AI employee without a session opens a conversation, as does a request for a new one', async (t) => {
    const ada = await someone(t, platform);
    const vic = await administrator(platform).members.create_virtual({ name: 'Vic' });
    const [one, two] = [
      await ada.http.chat.send({ content: '/help', target_id: vic.id }),
      await ada.http.chat.send({ content: '/help', target_id: vic.id }),
    ];
    t.not(one.session_id, two.session_id);
    const { session_id } = await ada.http.contacts.start({ member_id: vic.id });
    t.match(await ada.http.contacts.start({ member_id: vic.id }), { session_id, created: false });
    const another = await ada.http.contacts.start({ member_id: vic.id, new: true });
    t.ok(another.created && another.session_id !== session_id);
  });

  await t.test("a plugin's own member is no contact, and a conversation with it is rejected at once", async (t) => {
    const ada = await someone(t, platform);
    const plugin = await pluginMember(platform);
    t.equal(await contactOf(ada.http, plugin), undefined);
    t.same(await ada.http.contacts.list({ keyword: 'Hooks', offset: 0 }), []);
    const refused = { code: 'invalid_input', status: 400, message: /is the own member of the plugin 'Hooks', which answers nobody/ };
    await t.rejects(ada.http.contacts.start({ member_id: plugin.id }), refused);
    await t.rejects(ada.http.chat.send({ content: 'Hello', target_type: 'ai', target_id: plugin.id }), refused);
    await t.rejects(ada.http.sessions.create({ title: 'Hooks', target_type: 'ai', target_id: plugin.id }), refused);
    await t.rejects(ada.http.chat.send({ content: 'Hello', target_type: 'member', target_id: plugin.id }), refused);
    await t.rejects(ada.http.sessions.create({ title: 'Hooks', target_type: 'member', target_id: plugin.id }), refused);
  });
});
