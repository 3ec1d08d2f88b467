import t from 'tap';
import { onOneAndTwo, scripted } from '../scribe.js';
import { watchStatements } from '../statements.js';
import { collect, someone } from '../world.js';

/** What a conversation of one message asks of the table of tasks, since before there were nodes. */
const each = 13;
const conversations = 40;
/** A look for tasks of which nobody told, and one for those that need a node; twice where there are two instances. */
const of_each_poll = 2 * 2;

t.test('a task without a node asks the database for nothing on account of nodes', async (t) => {
  const seen = watchStatements('chat_tasks');
  await onOneAndTwo(t, async (t, [one]) => {
    const me = await someone(t, one);
    const message = await scripted(one, async (run) => run.write('Hello'));
    const first = await me.direct.chat.send(message);
    await collect(me.direct.messages.stream({ message_id: first.message_id }));
    seen.length = 0;
    const begun = performance.now();
    for (let n = 0; n < conversations; n += 1) {
      const { message_id } = await me.direct.chat.send({ ...message, session_id: first.session_id });
      await collect(me.direct.messages.stream({ message_id }));
    }
    const polls = 1 + Math.ceil((performance.now() - begun) / 2_000);
    const more = seen.length - each * conversations;
    t.ok(more >= -each && more <= polls * of_each_poll, `${more} more than ${each} for each conversation, in ${polls} polls at most`);
    t.ok(seen.filter((sql) => /GROUP BY t\.member_id/.test(sql)).length <= polls * 2, 'those that wait for nodes are not looked at');
  });
});
