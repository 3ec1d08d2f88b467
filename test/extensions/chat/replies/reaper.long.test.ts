import t, { type Test } from 'tap';
import { openData } from '../../../../kernel/platform/data/hub.js';
import { eachPlatform } from '../../../helpers/cluster.js';
import { silentLog, systemClock } from '../../../helpers/databases.js';
import { until } from '../../../helpers/eventually.js';
import type { TestPlatform } from '../../../helpers/platform.js';
import { gate, scripted, withScribe } from '../scribe.js';
import { administrator, collect, replyTo } from '../world.js';

/** The lease of a task, as another process sees it. */
async function leaseOf(t: Test, { data_dir, database_url }: TestPlatform, task_id: string) {
  const data = await openData({ url: database_url, data_dir, clock: systemClock, log: silentLog });
  t.teardown(() => data.close());
  const db = data.facade('chat');
  const state = async () => {
    const rows = await db.rows<{ lease_until: number | string | null; status: string }>(
      'SELECT lease_until, status FROM chat_tasks WHERE id = $1',
      [task_id],
    );
    return { status: rows[0]?.status, lease_until: Number(rows[0]?.lease_until) };
  };
  return {
    /** As if nobody had been able to renew it for long. */
    lapse: () => db.run("UPDATE chat_tasks SET lease_until = 1 WHERE id = $1 AND status = 'running'", [task_id]),
    renewed: (since: number) => until(state, ({ status, lease_until }) => status !== 'running' || lease_until > since),
  };
}

t.test('a reply continues if its lease expired while the process could not renew it', (t) =>
  eachPlatform(t, withScribe, async (t, platform) => {
    const client = administrator(platform);
    const [begun, free] = [gate(), gate()];
    const message = await scripted(platform, async (run) => {
      await run.write('Half ');
      begun.open();
      await free.passed;
      await run.write('and half.');
    });
    const sent = await client.chat.send(message);
    await begun.passed;
    const lease = await leaseOf(t, platform, sent.task_id as string);
    for (let time = 0; time < 4; time += 1) {
      await lease.lapse();
      // By its beat or by the look for the dead, whichever comes first; then once more, so that no look is under way.
      const renewed = await lease.renewed(1);
      const again = await lease.renewed(renewed.lease_until);
      t.equal(again.status, 'running');
    }
    free.open();
    await collect(client.messages.stream({ message_id: sent.message_id }));
    t.match(await replyTo(client, sent), { status: 'completed', content: 'Half and half.' });
  }),
);
