import t from 'tap';
import { until } from '../../helpers/eventually.js';
import { say } from '../../helpers/model-server.js';
import { callerOf } from '../../helpers/platform.js';
import { administrator, failureOf } from '../chat/world.js';
import { bring, onOneAndTwo } from './world.js';

t.test('an assignment repeated with one key runs once, even after the key counts as lost', async (t) => {
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead };
  await onOneAndTwo(
    t,
    async (t, { model, platforms: [one, two] }) => {
      bring([]);
      const { id: member_id } = await administrator(one).members.create_virtual({ name: 'Vic' });
      let answer = () => {};
      model.script((exchange) => {
        answer = () => say('Done.')(exchange);
      }, say('Twice.'));
      const before = model.exchanges.length;
      const run = (platform = one, prompt = 'Work') =>
        platform.kernel.invoke('tasks.run', { prompt, member_id }, callerOf(), { idempotency_key: 'once' });
      const first = run();
      await until(
        () => model.exchanges.length,
        (count) => count > before,
      );
      t.match(await failureOf(run(two)), { code: 'idempotency_in_progress', status: 409 });
      ahead += 131 * 60_000;
      const second = run(two);
      answer();
      const [{ body }, again] = await Promise.all([first, second]);
      t.match(body, { result: 'Done.' });
      t.same(again.body, body);
      t.same((await run()).body, body);
      t.match(await failureOf(run(one, 'Other work')), { code: 'idempotency_key_reused' });
      t.equal(model.exchanges.length, before + 1);
    },
    { clock },
  );
});
