import t from 'tap';
import { onOneAndTwo, scripted } from '../scribe.js';
import { administrator, collect, replyTo, someone } from '../world.js';

t.test('without placement each task starts at once on its own node', async (t) => {
  await onOneAndTwo(t, async (t, [one, two]) => {
    const me = await someone(t, one);
    let ran_on: number | null | undefined;
    const message = await scripted(one, async (run) => {
      ran_on = run.task.node_id;
      await run.write('Hello');
    });
    await administrator(two).members.update({ id: message.target_id, remote_node_id: 7 });
    const sent = await me.http.chat.send(message);
    await collect(me.http.messages.stream({ message_id: sent.message_id }));
    t.match(await replyTo(me.http, sent), { status: 'completed' });
    t.equal(ran_on, 7);
    const behind = await me.http.chat.send({ ...message, session_id: sent.session_id });
    await collect(me.http.messages.stream({ message_id: behind.message_id }));
    t.match(await me.http.tasks.get({ task_id: behind.task_id as string }), { status: 'completed', reason: null, node_id: 7 });
  });
});
