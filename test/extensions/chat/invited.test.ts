import t from 'tap';
import { until } from '../../helpers/eventually.js';
import { adminPassword } from '../../helpers/platform.js';
import { administrator, failureOf, login, onEachPlatform, someone } from './world.js';

const room = { target_type: 'room', target_id: '' } as const;

t.test('who accepts an invitation to rooms is in them, as far as the inviter still may', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const boss = await someone(t, platform);
    const admin = administrator(platform);
    await admin.members.update({ id: boss.id, role: 'admin' });
    const client = await login(t, platform, boss.name);
    const other = await someone(t, platform);
    const own = await client.sessions.create({ ...room, title: 'Own', visibility: 'private' });
    const left = await client.sessions.create({ ...room, title: 'Left', visibility: 'private', member_ids: [other.id] });
    const open = await other.http.sessions.create({ ...room, title: 'Open', visibility: 'open' });
    const foreign = await other.http.sessions.create({ ...room, title: 'Foreign', visibility: 'private' });
    const notes = await client.sessions.create({ title: 'Notes', target_type: '', target_id: '' });
    for (const id of [foreign.id, notes.id, '019a0b5e-7c10-7000-8000-000000000004'])
      t.match(await failureOf(client.invitations.create({ room_ids: [own.id, id] })), { code: 'invalid_input' });
    const { token } = await client.invitations.create({ room_ids: [left.id, own.id, open.id] });
    await client.sessions.update_member({ session_id: left.id, member_id: other.id, role: 'owner' });
    await client.sessions.remove_member({ session_id: left.id, member_id: boss.id });
    const username = `${boss.name}-new`;
    await client.auth.accept_invitation({ token, username, password: adminPassword });
    const person = await login(t, platform, username);
    const titles = async () => (await person.sessions.list({ target_type: 'room', limit: 20, offset: 0 })).map(({ title }) => title).sort();
    await until(titles, (found) => found.length === 2);
    t.same(await titles(), ['Open', 'Own']);
  });
});
