import t from 'tap';
import chat from '../../../../extensions/chat/index.js';
import { defineModels } from '../../../../extensions/chat/models.js';
import { IdLookup } from '../../../../extensions/chat/store/lookup.js';
import { Messages } from '../../../../extensions/chat/store/messages-sql.js';
import { Sessions } from '../../../../extensions/chat/store/sessions-sql.js';
import { eachDatabase } from '../../../helpers/databases.js';

const now = '2026-11-20T12:00:00.000Z';
const [ada, vic] = [1, 2];

t.test('an id is found by its first or last characters among visible sessions, latest first', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('chat', chat.migrations);
    const db = data.facade('chat');
    const models = defineModels(db);
    const [sessions, messages, lookup] = [new Sessions(db, models), new Messages(db, models), new IdLookup(db, models)];
    for (const [id, created_by] of [
      ['a1-f0', ada],
      ['a2-f0', ada],
      ['a3-f0', vic],
      ['a4-f0', ada],
    ] as const) {
      await sessions.create({ id, title: `Of ${id}`, target_type: '', target_id: '', created_by, partner: undefined, now });
      const sender = { role: 'user', sender_id: created_by, sender_name: '', reply_to: null, task_id: null } as const;
      const content = `${id} ${'long '.repeat(100)}`;
      await messages.insert({ ...sender, id: `b${id}`, session_id: id, content, status: 'completed', seq: 1, created_at: now });
    }
    await sessions.hide('a4-f0', ada);
    const idsOf = async (kind: 'session' | 'message' | 'task', part: string) =>
      (await lookup.find({ kind, part }, ada)).map(({ id }) => id);
    t.same(await lookup.find({ kind: 'session', part: 'a1' }, ada), [{ id: 'a1-f0', about: 'Of a1-f0' }]);
    t.same(await idsOf('session', 'f0'), ['a2-f0', 'a1-f0']);
    t.same(await idsOf('session', '-'), []);
    t.same(await lookup.find({ kind: 'message', part: 'ba2' }, ada), [
      { id: 'ba2-f0', about: `a2-f0 ${'long '.repeat(100)}`.slice(0, 80) },
    ]);
    t.same(await idsOf('message', 'f0'), ['ba2-f0', 'ba1-f0']);
    t.same(await idsOf('task', 'f0'), []);
    for (let n = 10; n < 30; n += 1)
      await sessions.create({ id: `c${n}`, title: '', target_type: '', target_id: '', created_by: ada, partner: undefined, now });
    t.same((await idsOf('session', 'c')).slice(0, 2).concat(`${(await idsOf('session', 'c')).length}`), ['c29', 'c28', '11']);
  });
});
