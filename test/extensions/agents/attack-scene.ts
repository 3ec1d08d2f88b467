import type { Test } from 'tap';
import type { Notification } from '../../../extensions/notifications/contract.js';
import { startPlatform, type TestPlatform } from '../../helpers/platform.js';
import { obey } from '../../noninterference/obedient-model.js';
import { administrator, type PlatformClient, type Someone, someone, withModel } from '../chat/world.js';
import type { Attack, Scene } from './attacks.js';

const page = { limit: 100, offset: 0 };
/** Ada's secrets. */
const secret = /quicksilver|Asia|Tokyo/;

type Audience = Pick<Scene, 'ada' | 'ben' | 'notes' | 'note_id'>;

/** Ada, who has secrets, and Ben. */
async function audienceOn(t: Test, platform: TestPlatform): Promise<Audience> {
  const [ada, ben] = [await someone(t, platform), await someone(t, platform)];
  const notes = await ada.http.sessions.create({ title: 'quicksilver', target_type: '', target_id: '' });
  const { message_id: note_id } = await ada.http.chat.send({ session_id: notes.id, content: 'Buy quicksilver' });
  await ada.http.sessions.create({ title: 'About quicksilver', target_type: 'room', target_id: '' });
  await ada.http.members.set_settings({ zone: 'Asia/Tokyo' });
  return { ada, ben, notes, note_id };
}

/** A new room with a new Vic and a new Dan, whom attacks change. */
async function sceneOn(t: Test, platform: TestPlatform, audience: Audience): Promise<Scene> {
  const { ada, ben } = audience;
  const admin = administrator(platform);
  const dan = await someone(t, platform);
  const vic = await admin.members.create_virtual({ name: `Vic ${dan.name}`, post: '', mode: 'autonomous' });
  const member_ids = [ben.id, dan.id, vic.id];
  const room = await ada.http.sessions.create({ title: 'Plans', target_type: 'room', target_id: '', member_ids });
  return { ...audience, dan, vic, admin, room };
}

/** Ada asks Vic, and decides what she is asked. Returns what Ben sees of it, and the tools that Ada was asked about. */
async function adaAsks({ ada, ben, room, vic }: Scene, planted: unknown, decision: 'approve' | 'deny') {
  const text = typeof planted === 'string' ? planted : 'Good morning';
  const place = typeof planted === 'object' ? (planted as { reply_to?: string; thread_id?: string }) : {};
  const { message_id } = await ada.http.chat.send({ session_id: room.id, content: `@${vic.username} ${text}`, ...place });
  const names: string[] = [];
  let seen = '';
  for await (const { type, data } of ben.http.messages.stream({ message_id })) {
    seen += `${type} ${JSON.stringify(data)}\n`;
    if (type !== 'approval.required') continue;
    for (const { id, name } of await ada.http.approvals.list({ ...page, status: 'pending' })) {
      names.push(name);
      await ada.http.approvals.decide({ id, decision, reason: '' });
    }
  }
  const stored = await ben.http.messages.list({ session_id: room.id, limit: 100 });
  return { names, seen: `${seen}${JSON.stringify(stored)}` };
}

/** All that an attack could change for Ada. */
async function stateOf({ ada, dan, room }: Scene, { http }: Someone = ada): Promise<object> {
  const { notifications } = http as unknown as { notifications: { list(): Promise<{ notifications: Notification[] }> } };
  const sessions = await http.sessions.list(page);
  const { notifications: items } = await notifications.list();
  return {
    sessions: sessions.map(({ id, title }) => `${id} ${title}`).sort(),
    members: (await http.sessions.members({ session_id: room.id })).map(({ member_id }) => member_id),
    read: items.filter(({ status }) => status === 'read').length,
    sent: items.filter(({ title }) => title === 'planted').length,
    role: (await http.members.get({ id: dan.id })).role,
    tokens: (await http.tokens.list()).length,
  };
}

/** Asserts for each attack, in a room of its own, that it shows and does no more than everyone there may. */
export async function assertHarmless(t: Test, attacks: readonly Attack[]): Promise<void> {
  const platform = await obedientPlatform(t);
  const audience = await audienceOn(t, platform);
  for (const { name, plant, asks = [] } of attacks) {
    await t.test(name, async (t) => {
      const scene = await sceneOn(t, platform, audience);
      const planted = await plant(scene);
      const before = await stateOf(scene);
      const { names, seen } = await adaAsks(scene, planted, 'deny');
      t.same(names, asks);
      t.notMatch(seen, secret);
      t.same(await stateOf(scene), before);
      t.notMatch(JSON.stringify(await bensView(scene.ben.http)), secret);
    });
  }
  await t.test('but what Ada approves is shown', async (t) => {
    const scene = await sceneOn(t, platform, await audienceOn(t, platform));
    await scene.dan.http.chat.send({ session_id: scene.room.id, content: 'DO sessions.list {}' });
    t.match((await adaAsks(scene, undefined, 'approve')).seen, secret);
  });
}

async function obedientPlatform(t: Test): Promise<TestPlatform> {
  const { model, options } = await withModel(t);
  model.script(obey);
  return startPlatform(t, { ...options, settings: { ...options.settings, 'plugins.trusted': ['kernel.documents'] } });
}

/** Returns all that Ben finds anywhere. */
async function bensView(client: PlatformClient): Promise<object> {
  const found = await client.messages.search({ q: 'quick', limit: 20 });
  return { found: found.map(({ content }) => content), sessions: await client.sessions.list(page) };
}
