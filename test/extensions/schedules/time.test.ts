import { join } from 'node:path';
import t from 'tap';
import type { Run } from '../../../extensions/schedules/contract.js';
import { SchedulesTable } from '../../bench/schedules-table.js';
import { until } from '../../helpers/eventually.js';
import { clientOf, history, ledger, onEach, scheduled, type TestClock } from './world.js';

const minute = 60_000;

/** Returns the planned times in the history. */
const shown = (runs: readonly Run[]) => runs.map(({ status, trigger, missed_count }) => [status, trigger, missed_count]);
const begun = (name: string) => ledger.lines.filter((line) => line === `admin begins ${name}`).length;

/** Just after a full minute, so that a test ends before the next. */
const early = (clock: TestClock) => clock.set('2026-11-20T12:00:01.000Z');

await onEach(t, async (t, { platform, admin, clock, again }) => {
  await t.test('planned times run as they come, each once', async (t) => {
    early(clock);
    const work = await scheduled(admin, { trigger_value: '1m', params: { name: 'minutely' } });
    for (let count = 1; count <= 3; count += 1) {
      clock.move(minute);
      await history(admin, work, count);
    }
    const runs = await history(admin, work, 3);
    t.same(shown(runs), Array(3).fill(['success', 'schedule', null]));
    const times = runs.map(({ scheduled_for }) => Date.parse(scheduled_for));
    t.same([(times[1] as number) - (times[0] as number), (times[2] as number) - (times[1] as number)], [minute, minute]);
    t.equal(begun('minutely'), 3);
    await admin.schedules.delete({ id: work.id });
  });

  await t.test("a run may start at its planned time even if its creator's clock is ahead", async (t) => {
    early(clock);
    const work = await scheduled(admin, { trigger_value: '1m', params: { name: 'ahead', ms: 300_000 } });
    clock.move(minute + 20_000);
    await until(
      () => begun('ahead'),
      (count) => count === 1,
    );
    const isFile = platform.database_url === 'sqlite:';
    const table = await SchedulesTable.open(isFile ? join(platform.data_dir, 'platform.db') : platform.database_url);
    const [run] = await table.rows(`SELECT ready_at, scheduled_for FROM schedules_runs WHERE schedule_id = ${work.id}`);
    t.equal(Number(run?.ready_at), Number(run?.scheduled_for));
    await table.close();
    await admin.schedules.delete({ id: work.id });
  });

  await t.test('with the clock set back an hour nothing runs twice and nothing is lost', async (t) => {
    early(clock);
    const work = await scheduled(admin, { trigger_value: '1m', params: { name: 'back' } });
    clock.move(minute);
    await history(admin, work, 1);
    clock.move(-60 * minute);
    // A change counts from the clock as it is: those times have their rows already.
    await admin.schedules.toggle({ id: work.id });
    const enabled = await admin.schedules.toggle({ id: work.id });
    t.ok(Date.parse(enabled.next_run_at ?? '') < Date.parse(work.next_run_at ?? ''));
    await admin.schedules.delete({ id: work.id });

    const other = await scheduled(admin, { trigger_value: '1m', params: { name: 'other' } });
    clock.move(minute);
    const [first] = await history(admin, other, 1);
    clock.move(-60 * minute);
    await new Promise((resolve) => setTimeout(resolve, 700));
    t.same((await history(admin, other, 1)).length, 1, 'the schedule waits for its next planned time');
    clock.move(61 * minute);
    const [, second] = await history(admin, other, 2);
    t.equal(Date.parse(second?.scheduled_for ?? '') - Date.parse(first?.scheduled_for ?? ''), minute);
    t.equal(begun('other'), 2);
    await admin.schedules.delete({ id: other.id });
  });

  await t.test('with the clock set forward an hour the skipped times give one row and one run', async (t) => {
    early(clock);
    const work = await scheduled(admin, { trigger_value: '1m', params: { name: 'forward' } });
    const planned = Date.parse(work.next_run_at ?? '');
    clock.move(60 * minute + 45_000);
    const runs = await history(admin, work, 2);
    t.same(shown(runs).sort(), [
      ['missed', 'schedule', 60],
      ['success', 'catch_up', null],
    ]);
    const missed = runs.find(({ status }) => status === 'missed');
    t.same([missed?.scheduled_for, missed?.missed_until], [new Date(planned).toISOString(), new Date(planned + 59 * minute).toISOString()]);
    t.equal(begun('forward'), 1);
    await admin.schedules.delete({ id: work.id });
  });

  await t.test('a planned time has one row, even if planned again', async (t) => {
    early(clock);
    const at = new Date(clock.now() + minute).toISOString();
    const once = await scheduled(admin, { trigger_type: 'once', trigger_value: at, params: { name: 'same' } });
    clock.move(minute);
    await history(admin, once, 1);
    clock.move(-minute);
    await admin.schedules.update({ id: once.id, enabled: true });
    clock.move(minute);
    await until(
      () => admin.schedules.get({ id: once.id }),
      ({ enabled }) => !enabled,
    );
    t.equal((await history(admin, once, 1)).length, 1);
    t.equal(begun('same'), 1);
    await admin.schedules.delete({ id: once.id });
  });

  await t.test('a time that is due while another run is open follows the overlap policy', async (t) => {
    early(clock);
    const long = { trigger_value: '1m', timeout_s: 600 } as const;
    const skip = await scheduled(admin, { ...long, params: { name: 'skip', ms: 300_000 } });
    const queue = await scheduled(admin, { ...long, params: { name: 'queue', ms: 300_000 }, overlap_policy: 'queue' });
    const replace = await scheduled(admin, { ...long, params: { name: 'replace', ms: 300_000 }, overlap_policy: 'replace' });
    clock.move(minute);
    for (const name of ['skip', 'queue', 'replace'])
      await until(
        () => begun(name),
        (count) => count === 1,
      );
    clock.move(minute);
    await until(
      () => begun('replace'),
      (count) => count === 2,
    );
    const list = async ({ id }: { id: number }) => (await admin.schedules.history({ id, limit: 50, offset: 0 })).items.reverse();
    t.match(await list(skip), [{ status: 'running' }, { status: 'skipped', error_code: 'overlap' }]);
    t.match(await list(queue), [{ status: 'running' }, { status: 'queued', attempt: 0 }]);
    t.match(await list(replace), [{ status: 'cancelled', error_code: 'replaced' }, { status: 'running' }]);
    await until(() => ledger.lines.includes('replace stops'), Boolean);
    const [first] = await list(queue);
    t.match(await admin.schedules.cancel({ id: queue.id, run_id: first?.id as number }), { status: 'cancelled', error_code: 'cancelled' });
    await until(
      () => begun('queue'),
      (count) => count === 2,
    );
    t.match(await list(queue), [{ status: 'cancelled' }, { status: 'running', attempt: 1 }]);
    await t.rejects(admin.schedules.cancel({ id: queue.id, run_id: first?.id as number }), { code: 'run_finished' });
    for (const { id } of [skip, queue, replace]) await admin.schedules.delete({ id });
    await until(
      () => ledger.running,
      (running) => running === 0,
    );
    t.match(ledger.lines.slice(-3).sort(), ['queue stops', 'replace stops', 'skip stops']);
  });

  await t.test('after a stop across five planned times: one row, one run, and the earlier run interrupted', async (t) => {
    early(clock);
    const work = await scheduled(admin, { trigger_value: '1m', params: { name: 'gap' } });
    const long = await scheduled(admin, { params: { name: 'long', ms: 300_000 } });
    await admin.schedules.run({ id: long.id });
    await until(
      () => begun('long'),
      (count) => count === 1,
    );
    await platform.kernel.close();
    clock.move(5 * minute + 40_000);
    const restarted = clientOf(await again());
    const runs = await history(restarted, work, 2);
    t.same(shown(runs).sort(), [
      ['missed', 'schedule', 5],
      ['success', 'catch_up', null],
    ]);
    t.match(await history(restarted, long, 1), [{ status: 'failed', error_code: 'interrupted' }]);
  });
});
