import t from 'tap';
import { openData } from '../../../kernel/platform/data/hub.js';
import { silentLog, systemClock } from '../../helpers/databases.js';
import { history, onEach, scheduled } from './world.js';

t.test("a claimed run that never started, because the claim's answer was lost, ends as interrupted", (t) =>
  onEach(t, async (t, { platform: { url, data_dir, database_url }, admin }) => {
    const schedule = await scheduled(admin);
    await admin.schedules.run({ id: schedule.id });
    const [done] = await history(admin, schedule, 1);
    const instance = (await fetch(`${url}/healthz`)).headers.get('x-instance');
    const data = await openData({ url: database_url, data_dir, clock: systemClock, log: silentLog });
    t.teardown(() => data.close());
    await data
      .facade('schedules')
      .run("UPDATE schedules_runs SET status = 'running', owner = $1, lease_until = 1, finished_at = NULL WHERE id = $2", [
        instance,
        done?.id ?? 0,
      ]);
    t.match(await history(admin, schedule, 1), [{ status: 'failed', error_code: 'interrupted' }]);
    await admin.schedules.run({ id: schedule.id });
    t.match(await history(admin, schedule, 2), [{ status: 'failed' }, { status: 'success' }], 'the next run starts');
  }),
);
