import t from 'tap';
import { migration as chat } from '../../../../extensions/chat/migrations/0001-chat.js';
import { migration as search } from '../../../../extensions/chat/migrations/0010-search.js';
import { Messages, type NewMessage } from '../../../../extensions/chat/store/messages.js';
import { eachDatabase } from '../../../helpers/databases.js';

const common = { sender_id: 1, sender_name: 'Ada', content: '', reply_to: null, task_id: null, seq: 0 } as const;
const message = (id: string): NewMessage => {
  return { ...common, id, session_id: id, role: 'assistant', status: 'streaming', created_at: '2026-11-20T12:00:00.000Z' };
};

t.test('messages that are stored together are numbered as those that are stored one by one', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('chat', [chat, search]);
    const messages = new Messages(data.facade('chat'));
    const { no: first } = await messages.insert(message('a'));
    const several = await messages.insertAll(['d', 'c', 'b'].map(message));
    t.same(
      several.map(({ message: { id }, no }) => [id, no]),
      [
        ['d', first + 1],
        ['c', first + 2],
        ['b', first + 3],
      ],
    );
    t.equal((await messages.insert(message('e'))).no, first + 4);
    t.same(await messages.insertAll([]), []);
  });
});
