import t from 'tap';
import type { Run } from '../../../extensions/chat/contract.js';
import { until } from '../../helpers/eventually.js';
import { onOneAndTwo, scripted } from './scribe.js';
import { someone } from './world.js';

t.test('a member sees the tasks that failed for it, latest first', async (t) => {
  await onOneAndTwo(t, async (t, [one, two]) => {
    const [ada, bob] = [await someone(t, one), await someone(t, two)];
    const ended = async (write: (run: Run) => Promise<void>) => {
      const { task_id } = await ada.http.chat.send(await scripted(one, write));
      const task = () => ada.http.tasks.get({ task_id: task_id as string });
      return until(task, ({ finished_at }) => finished_at !== null);
    };
    const fails = async () => {
      throw new Error('planted');
    };
    const first = await ended(fails);
    await ended(async (run) => {
      await run.write('Done.');
    });
    const last = await ended(fails);
    t.match(await ada.http.tasks.failed({ limit: 20 }), [
      { id: last.id, status: 'failed', error: { message: String } },
      { id: first.id, status: 'failed' },
    ]);
    t.match(await ada.direct.tasks.failed({ limit: 1 }), [{ id: last.id }]);
    t.same(await bob.http.tasks.failed({ limit: 20 }), []);
    await ada.http.sessions.delete({ session_id: last.session_id });
    t.same(
      (await ada.http.tasks.failed({ limit: 20 })).map(({ id }) => id),
      [first.id],
    );
  });
});
