import t from 'tap';
import type { SystemApi } from '../../../kernel/contract/system.js';
import { callerOf } from '../../helpers/platform.js';
import { history, onEach, scheduled } from './world.js';

const day_ms = 86_400_000;

await onEach(t, async (t, { platform, admin, clock }) => {
  const clean = async () => {
    const { body } = await platform.kernel.invoke('maintenance.cleanup', {}, callerOf());
    const { removed } = body as SystemApi['maintenance.cleanup']['answer'];
    return removed.find(({ name }) => name === 'schedules.history')?.rows;
  };

  await t.test('the history is kept for thirty days', async (t) => {
    const work = await scheduled(admin, { enabled: false });
    await admin.schedules.run({ id: work.id });
    await history(admin, work, 1);
    clock.move(29 * day_ms);
    await admin.schedules.run({ id: work.id });
    await history(admin, work, 2);
    t.equal(await clean(), 0);
    clock.move(2 * day_ms);
    t.equal(await clean(), 1);
    t.equal((await history(admin, work, 1)).length, 1);
  });

  await t.test('at most a thousand runs of each schedule are kept', async (t) => {
    const work = await scheduled(admin, { enabled: false });
    await Promise.all(Array.from({ length: 1_010 }, () => admin.schedules.run({ id: work.id })));
    const list = () => admin.schedules.history({ id: work.id, limit: 1, offset: 0, status: 'success' });
    for (let found = 0; found < 1_010; found = (await list()).total) await new Promise((resolve) => setTimeout(resolve, 20));
    const newest = (await list()).items[0];
    t.equal(await clean(), 10);
    const left = await list();
    t.same([left.total, left.items[0]], [1_000, newest], 'the oldest runs are deleted');
  });
});
