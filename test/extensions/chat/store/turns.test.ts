import t from 'tap';
import { migrations } from '../../../../extensions/chat/migrations/index.js';
import { defineModels } from '../../../../extensions/chat/models.js';
import { Sessions } from '../../../../extensions/chat/store/sessions-sql.js';
import { eachDatabase } from '../../../helpers/databases.js';

const now = '2026-11-20T12:00:00.000Z';
const later = '2026-11-20T12:00:00.001Z';
const [ada, vic] = [1, 2];

t.test('a member can send in a session while it is a member', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('chat', migrations);
    const db = data.facade('chat');
    const sessions = new Sessions(db, defineModels(db));
    await sessions.create({ id: 's', title: '', target_type: 'member', target_id: `${vic}`, created_by: ada, partner: vic, now });
    const turn = (member_id: number) => sessions.nextTurn(member_id, 's', Date.parse(now));
    t.same(await turn(ada), { created_at: now, unread_count: 0 });
    await sessions.arrived([{ session_id: 's', preview: 'Hello', created_at: now, sender_id: ada }], now);
    t.same(await turn(vic), { created_at: later, unread_count: 1 }, 'a millisecond later, and it knows what it has not read');
    await sessions.hide('s', vic);
    t.equal(await turn(vic), undefined, 'a member who has hidden the session cannot send');
    await sessions.unhide('s', vic);
    t.match(await turn(vic), { unread_count: 0 });
    await sessions.leaveAll(ada);
    t.equal(await turn(ada), undefined, 'a member who has left cannot send');
    t.equal(await turn(3), undefined, 'a member who was never in the session cannot send');
    await sessions.delete(['s']);
    t.equal(await turn(vic), undefined, 'nobody can send in a deleted session');
  });
});
