import t from 'tap';
import { RunApprovals } from '../../../../extensions/chat/replies/run.js';
import { until } from '../../../helpers/eventually.js';
import { gate, onOneAndTwo, scripted } from '../scribe.js';
import { administrator, collect } from '../world.js';

t.test('a task waits while an approval is open, even if one is resolved as another opens', async (t) => {
  await onOneAndTwo(t, async (t, [one, two]) => {
    const [asked, decided] = [gate(), gate()];
    const message = await scripted(one, async ({ approvals }) => {
      await approvals.required({ id: 'a' });
      await Promise.all([approvals.resolved({ id: 'a' }), approvals.required({ id: 'b' })]);
      asked.open();
      await decided.passed;
      await approvals.resolved({ id: 'b' });
    });
    const client = administrator(two);
    const { task_id, message_id } = await client.chat.send(message);
    await asked.passed;
    const task = { task_id: task_id as string };
    t.equal((await client.tasks.get(task)).status, 'waiting_approval');
    decided.open();
    const events = await collect(client.messages.stream({ message_id }));
    const shown = events.flatMap(({ type, data }) => (type.startsWith('approval.') ? [type, (data as { approval: object }).approval] : []));
    t.same(shown.slice(0, 2), ['approval.required', { id: 'a' }]);
    t.same(shown.slice(-2), ['approval.resolved', { id: 'b' }]);
    await until(
      () => client.tasks.get(task),
      ({ status }) => status === 'completed',
    );
  });
});

t.test('stores once that a task waits for several approvals, and that it runs after the last', async (t) => {
  const stored: boolean[] = [];
  const approvals = new RunApprovals({ show: async () => undefined, wait: async (waiting) => void stored.push(waiting) });
  await Promise.all([approvals.required({ id: 1 }), approvals.required({ id: 2 })]);
  t.same(stored, [true]);
  await Promise.all([approvals.resolved({ id: 1 }), approvals.resolved({ id: 2 })]);
  t.same(stored, [true, false]);
});

t.test('after a failed write the next one stores the state', async (t) => {
  const stored: boolean[] = [];
  let fails = true;
  const approvals = new RunApprovals({
    show: async () => undefined,
    wait: async (waiting) => {
      if (fails) throw new Error('No database');
      stored.push(waiting);
    },
  });
  await t.rejects(approvals.required({ id: 1 }), { message: 'No database' });
  fails = false;
  await approvals.required({ id: 2 });
  t.same(stored, [true]);
});
