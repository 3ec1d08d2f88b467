import t from 'tap';
import { startCluster } from '../../helpers/cluster.js';
import { until } from '../../helpers/eventually.js';
import { skipWithout } from '../../helpers/parts.js';
import { clientOf, forget, ledger, scheduled, TestClock, withLabour } from './world.js';

t.test(
  "three instances run each planned time once, and one can stop another's run",
  { skip: skipWithout('postgres', 'redis') },
  async (t) => {
    forget();
    const clock = new TestClock();
    clock.set('2026-11-20T12:00:01.000Z');
    const platforms = await startCluster(t, 3, { ...withLabour, clock });
    const clients = platforms.map((platform) => clientOf(platform));
    const [first, second] = clients as [(typeof clients)[0], (typeof clients)[0]];
    const count = 600;
    for (let n = 0; n < count; n += 1) await scheduled(first, { trigger_value: '1m', params: { name: `n${n}`, ms: 5 } });
    clock.move(60_000);
    await until(
      () => ledger.lines.filter((line) => / ends$/.test(line)).length,
      (ended) => ended >= count,
    );
    const begun = ledger.lines.filter((line) => line.startsWith('admin begins'));
    t.same([begun.length, new Set(begun).size], [count, count]);
    t.ok(ledger.max <= 150, `at most 50 runs at once on each instance, together ${ledger.max}`);

    const long = await scheduled(first, { params: { name: 'long', ms: 60_000 } });
    const { run_id } = await second.schedules.run({ id: long.id });
    await until(
      () => ledger.lines,
      (lines) => lines.includes('admin begins long'),
    );
    for (const client of clients) await client.schedules.cancel({ id: long.id, run_id }).catch(({ code }) => t.equal(code, 'run_finished'));
    await until(
      () => ledger.lines,
      (lines) => lines.includes('long stops'),
    );
    t.match(await second.schedules.run_record({ id: long.id, run_id }), { status: 'cancelled', error_code: 'cancelled' });
  },
);
