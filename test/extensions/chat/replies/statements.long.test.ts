import t from 'tap';
import { onOneAndTwo, scripted } from '../scribe.js';
import { watchStatements } from '../statements.js';
import { collect, someone } from '../world.js';

/** What a conversation of one message asks of the table of tasks. */
const each = 11;
const conversations = 60;
/** What comes by the clock, however many conversations there are: dead processes, and tasks that need a node. */
const by_clock = /AS lapsed|GROUP BY t\.member_id/;

t.test('a task without a node asks the database for nothing on account of nodes', async (t) => {
  const seen = watchStatements('chat_tasks');
  await onOneAndTwo(t, async (t, [one]) => {
    const me = await someone(t, one);
    const message = await scripted(one, async (run) => run.write('Hello'));
    const first = await me.direct.chat.send(message);
    await collect(me.direct.messages.stream({ message_id: first.message_id }));
    seen.length = 0;
    for (let n = 0; n < conversations; n += 1) {
      const { message_id } = await me.direct.chat.send({ ...message, session_id: first.session_id });
      await collect(me.direct.messages.stream({ message_id }));
    }
    const more = seen.filter((sql) => !by_clock.test(sql)).length - each * conversations;
    t.ok(Math.abs(more) < conversations / 2, `${more} more than ${each} for each of ${conversations} conversations`);
    t.ok(
      seen.filter((sql) => /GROUP BY t\.member_id/.test(sql)).length < conversations / 2,
      'those that need a node are looked at by the clock',
    );
    const looks = seen.filter((sql) => /t\.node_id/.test(sql) && !/t\.node_id IS NULL/.test(sql) && !by_clock.test(sql));
    t.same(looks, [], 'none of them is about a node');
  });
});
