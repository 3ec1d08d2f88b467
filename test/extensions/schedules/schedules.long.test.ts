import { join } from 'node:path';
import t from 'tap';
import { SchedulesTable } from '../../bench/schedules-table.js';
import { until } from '../../helpers/eventually.js';
import { startPlatform, temporaryFolder } from '../../helpers/platform.js';
import { anotherAdmin, clientOf, forget, history, ledger, onEach, scheduled, withLabour } from './world.js';

await onEach(t, async (t, world) => {
  const { admin, clock } = world;

  await t.test('a schedule can be created, shown, listed, changed and deleted', async (t) => {
    clock.set('2026-11-20T12:00:10.500Z');
    const made = await scheduled(admin, { name: 'A first', params: { name: 'x' } });
    t.match(made, {
      name: 'A first',
      trigger_type: 'interval',
      trigger_value: '1h',
      timezone: 'UTC',
      enabled: true,
      overlap_policy: 'skip',
      catch_up: 'latest',
      timeout_s: 300,
      retries: 0,
      retry_delay_s: 10,
      notify: 'failure',
      created_by: 1,
      disabled_reason: null,
      failures: 0,
      last_status: null,
    });
    t.match(made.next_run_at, /^2026-11-20T13:00:1\d\.\d{3}Z$/);
    t.same(await admin.schedules.get({ id: made.id }), made);
    const found = await admin.schedules.list({ keyword: 'FIRST', limit: 50, offset: 0 });
    t.same([found.total, found.items], [1, [made]]);
    const changed = await admin.schedules.update({ id: made.id, name: 'Renamed' });
    t.same([changed.name, changed.next_run_at], ['Renamed', made.next_run_at], 'the planned time stays');
    const other = await admin.schedules.update({ id: made.id, trigger_value: '2h' });
    t.match(other.next_run_at, /^2026-11-20T14:00:1/, 'the interval starts anew');
    await admin.schedules.delete({ id: made.id });
    await t.rejects(admin.schedules.get({ id: made.id }), { code: 'schedule_not_found' });
  });

  await t.test('invalid schedules are rejected', async (t) => {
    await t.rejects(scheduled(admin, { action: 'labour.idle' }), {
      code: 'action_not_found',
      message: /labour\.flow, labour\.rule, labour\.work/,
    });
    await t.rejects(scheduled(admin, { action: 'labour.gone' }), { code: 'action_not_found' });
    await t.rejects(scheduled(admin, { params: { ms: 'long' } }), {
      code: 'invalid_input',
      details: [{ path: 'params.name' }, { path: 'params.ms' }],
    });
    await t.rejects(scheduled(admin, { params: { name: 'x'.repeat(66_000) } }), { code: 'invalid_input', details: [{ path: 'params' }] });
    const both = { trigger_type: 'cron', trigger_value: '61 * * * *', params: { ms: 'long' } } as const;
    const first = { code: 'trigger_invalid', details: [{ path: 'trigger_value' }] };
    await t.rejects(scheduled(admin, both), first, 'the fault of the time is reported first');
    const past = { trigger_type: 'once', trigger_value: '2020-01-01T00:00:00Z' } as const;
    const refused = { code: 'trigger_invalid', status: 400, details: [{ path: 'trigger_value', message: /is in the past/ }] };
    for (const enabled of [true, false]) await t.rejects(scheduled(admin, { ...past, enabled }), refused);
    const { id } = await scheduled(admin);
    await t.rejects(admin.schedules.update({ id, ...past }), refused);
    await t.rejects(admin.schedules.update({ id, ...both }), first);
    await admin.schedules.delete({ id });
  });

  await t.test('a schedule can be switched on and off, and one with a single time ends after it', async (t) => {
    const soon = new Date(clock.now() + 60_000).toISOString();
    const once = await scheduled(admin, { trigger_type: 'once', trigger_value: soon, params: { name: 'once' } });
    t.match(await admin.schedules.toggle({ id: once.id }), { enabled: false, next_run_at: null });
    t.match(await admin.schedules.toggle({ id: once.id }), { enabled: true, next_run_at: soon });
    clock.move(61_000);
    const [run] = await history(admin, once, 1);
    t.match(run, { status: 'success', trigger: 'schedule', scheduled_for: soon, attempt: 1, result: 'once is done', error_code: null });
    t.same(
      [run?.session_id, run?.task_id],
      ['0190b5c8-0000-7000-8000-000000000001', null],
      'the created session is linked, an invalid id is not',
    );
    t.match(await admin.schedules.get({ id: once.id }), {
      enabled: false,
      next_run_at: null,
      disabled_reason: 'done',
      last_status: 'success',
    });
    await t.rejects(admin.schedules.toggle({ id: once.id }), { code: 'time_passed', status: 409 });
    await t.rejects(admin.schedules.update({ id: once.id, enabled: true }), { code: 'time_passed', status: 409 });
    t.match(await admin.schedules.update({ id: once.id, name: 'Was once', trigger_value: soon }), { name: 'Was once', enabled: false });
    await admin.schedules.delete({ id: once.id });
  });

  await t.test('a schedule sealed with another key is listed, and works again after its secret is set', async (t) => {
    const params = { url: 'https://example.invalid/?token=x', headers: { 'x-token': 'abc' } };
    const { id, ...made } = await scheduled(admin, { action: 'http.request', params });
    const isFile = world.platform.database_url.startsWith('sqlite');
    const table = await SchedulesTable.open(isFile ? join(world.platform.data_dir, 'platform.db') : world.platform.database_url);
    const sealed = `sealed:v1.${Buffer.alloc(40).toString('base64url')}`;
    await table.rows(`UPDATE schedules_schedules SET params = '{"url":"${sealed}","headers":{"x-token":"${sealed}"}}' WHERE id = ${id}`);
    await table.close();

    const { items } = await admin.schedules.list({ limit: 200, offset: 0 });
    const unreadable = { url: '[unreadable]', headers: { 'x-token': '[unreadable]' } };
    t.same(items.find((one) => one.id === id)?.params, unreadable);
    t.match(await admin.schedules.toggle({ id }), { enabled: false, params: unreadable });
    t.match(await admin.schedules.update({ id, name: 'Renamed' }), { name: 'Renamed', params: unreadable });
    t.match(await admin.schedules.update({ id, params: unreadable }), { params: unreadable }, 'a value that is sent back unchanged stays');
    await t.rejects(admin.schedules.update({ id, action: 'labour.work' }), { code: 'params_unreadable', status: 409 });
    await admin.schedules.run({ id });
    t.match(await history(admin, { id }, 1), [{ status: 'failed', error_code: 'params_unreadable' }]);
    t.same((await admin.schedules.update({ id, params })).params, made.params);
    await admin.schedules.delete({ id });
  });

  await t.test('a manual run starts even if the schedule is disabled', async (t) => {
    const disabled = await scheduled(admin, { enabled: false, action: 'labour.rule', params: {} });
    t.equal(disabled.next_run_at, null);
    const started = await admin.schedules.run({ id: disabled.id });
    t.equal(started.status, 'queued');
    const [run] = await history(admin, disabled, 1);
    t.match(run, { id: started.run_id, trigger: 'manual', status: 'success', result: '{"ruled_by":"admin by schedule"}' });
    t.same(await admin.schedules.run_record({ id: disabled.id, run_id: started.run_id }), run);
    await t.rejects(admin.schedules.run_record({ id: disabled.id + 1, run_id: started.run_id }), {
      code: /schedule_not_found|run_not_found/,
    });
    t.equal((await admin.schedules.get({ id: disabled.id })).enabled, false);
    const flow = await scheduled(admin, { action: 'labour.flow', params: { pieces: 3 } });
    await admin.schedules.run({ id: flow.id });
    t.match(await history(admin, flow, 1), [{ status: 'success', result: '{"piece":3}' }]);
  });

  await t.test('runs end by their timeout, fail, and are retried', async (t) => {
    const slow = await scheduled(admin, { params: { name: 'slow', ms: 60_000 }, timeout_s: 1 });
    const deaf = await scheduled(admin, { params: { name: 'deaf', ms: 5_000, deaf: true }, timeout_s: 1 });
    const lost = await scheduled(admin, { params: { name: 'lost', failures: 99 } });
    const again = await scheduled(admin, { params: { name: 'again', failures: 2 }, retries: 2 });
    for (const { id } of [slow, deaf, lost, again]) await admin.schedules.run({ id });
    t.match(await history(admin, slow, 1), [{ status: 'timeout', error_code: 'timeout', result: /timeout of 1 s/ }]);
    t.match(await history(admin, deaf, 1), [{ status: 'timeout' }], 'a run that ignores its timeout is not waited for');
    t.match(await history(admin, lost, 1), [{ status: 'failed', error_code: 'labour_lost', result: 'lost is lost' }]);
    t.ok(ledger.lines.includes('slow stops'), 'the run was asked to stop');
    for (const pause_s of [10, 20]) {
      await until(
        async () => (await admin.schedules.history({ id: again.id, limit: 1, offset: 0 })).items[0],
        (run) => run?.status === 'queued' && run.attempt === pause_s / 10,
      );
      clock.move(pause_s * 1_000);
    }
    t.match(await history(admin, again, 1), [{ status: 'success', attempt: 3 }]);
    t.equal((await admin.schedules.get({ id: again.id })).failures, 0);
  });

  await t.test('five failures in a row disable a schedule', async (t) => {
    const failing = await scheduled(admin, { name: 'Failing', params: { name: 'failing', failures: 5 } });
    for (let count = 1; count <= 5; count += 1) {
      await admin.schedules.run({ id: failing.id });
      await history(admin, failing, count);
    }
    t.match(await admin.schedules.get({ id: failing.id }), {
      enabled: false,
      next_run_at: null,
      disabled_reason: 'five_failures',
      failures: 5,
    });
    await until(
      () => ledger.stopped,
      (stopped) => stopped.some(({ schedule_id }) => schedule_id === failing.id),
    );
    t.match(
      ledger.stopped.filter(({ schedule_id }) => schedule_id === failing.id),
      [{ name: 'Failing', reason: 'five_failures', created_by: 1, result: 'failing is lost' }],
    );
    const told = await until(
      () => ledger.reported.filter(({ schedule_id }) => schedule_id === failing.id),
      (reported) => reported.length >= 5,
    );
    t.match(told[0], { name: 'Failing', status: 'failed', error_code: 'labour_lost', result: 'failing is lost', created_by: 1 });
    t.match(await admin.schedules.toggle({ id: failing.id }), { enabled: true, failures: 0, disabled_reason: null });
  });

  await t.test('runs of a demoted creator fail, and a schedule of a deleted creator is disabled', async (t) => {
    const { id: member_id, client } = await anotherAdmin(world, `eve-${clock.now()}`);
    const rule = await scheduled(client, { action: 'labour.rule', params: {} });
    t.equal(rule.created_by, member_id);
    await admin.members.update({ id: member_id, role: 'member' });
    await admin.schedules.run({ id: rule.id });
    t.match(await history(admin, rule, 1), [{ status: 'failed', error_code: 'forbidden' }]);
    await admin.members.delete({ id: member_id });
    t.match(await admin.schedules.get({ id: rule.id }), { enabled: false, disabled_reason: 'creator_gone' });
    t.match(await admin.schedules.update({ id: rule.id, enabled: true }), { created_by: 1, enabled: true, disabled_reason: null });
    await admin.schedules.run({ id: rule.id });
    t.match((await history(admin, rule, 2))[1], { status: 'success' });
  });

  await t.test('a schedule acts for its last editor, and its conversation is visible to that member only', async (t) => {
    const { id: member_id, client } = await anotherAdmin(world, `max-${clock.now()}`);
    const mine = await scheduled(admin, { name: 'Mine', params: { name: 'mine' } });
    t.equal((await client.schedules.update({ id: mine.id, name: 'Renamed' })).created_by, 1);
    const { run_id } = await client.schedules.run({ id: mine.id });
    await history(admin, mine, 1);
    t.equal((await admin.schedules.run_record({ id: mine.id, run_id })).result, 'mine is done');
    t.equal(
      (await client.schedules.run_record({ id: mine.id, run_id })).result,
      '',
      'the text of a conversation is hidden from another administrator',
    );
    t.equal((await client.schedules.history({ id: mine.id, limit: 1, offset: 0 })).items[0]?.result, '');
    t.equal((await client.schedules.update({ id: mine.id, params: { name: 'theirs' } })).created_by, member_id);
    await admin.schedules.delete({ id: mine.id });
  });

  await t.test('a queued run starts after a change of the policy, unless the schedule is disabled', async (t) => {
    const name = `turn-${clock.now()}`;
    const turns = await scheduled(admin, { trigger_value: '1m', params: { name, ms: 900 } });
    const list = async () =>
      (await admin.schedules.history({ id: turns.id, limit: 10, offset: 0 })).items.map(({ status }) => status).reverse();
    await admin.schedules.run({ id: turns.id });
    await until(list, ([status]) => status === 'running');
    await admin.schedules.update({ id: turns.id, overlap_policy: 'queue' });
    clock.move(60_000);
    await until(list, ({ length }) => length === 2);
    t.same(await list(), ['running', 'queued']);
    await admin.schedules.update({ id: turns.id, overlap_policy: 'skip' });
    t.same(
      (await history(admin, turns, 2)).map(({ status }) => status),
      ['success', 'success'],
    );

    await admin.schedules.update({ id: turns.id, overlap_policy: 'queue' });
    await admin.schedules.run({ id: turns.id });
    await until(list, ({ length }) => length === 3);
    clock.move(60_000);
    await until(list, ({ length }) => length === 4);
    await admin.schedules.toggle({ id: turns.id });
    t.match((await history(admin, turns, 4))[3], { status: 'cancelled', error_code: 'disabled' });
    await admin.schedules.delete({ id: turns.id });
  });

  await t.test('a missing action fails with its code', async (t) => {
    const work = await scheduled(admin);
    await admin.schedules.run({ id: work.id });
    await history(admin, work, 1);
    await world.platform.kernel.invoke('plugins.disable', { name: 'labour' }, await world.platform.kernel.localCaller('direct'));
    await admin.schedules.run({ id: work.id });
    t.match((await history(admin, work, 2))[1], { status: 'failed', error_code: 'action_not_found' });
    await world.platform.kernel.invoke('plugins.enable', { name: 'labour' }, await world.platform.kernel.localCaller('direct'));
  });
});

t.test('a process with a single command runs only the schedules that it started, before it ends', async (t) => {
  const data_dir = await temporaryFolder(t);
  const start = () => startPlatform(t, { ...withLabour, listen: false, background: false, settings: { data_dir } });
  forget();
  const first = await start();
  const wanted = await scheduled(clientOf(first), { params: { name: 'wanted', ms: 300 } });
  const due = Date.now() + 2_000;
  const other = await scheduled(clientOf(first), {
    trigger_type: 'once',
    trigger_value: new Date(due).toISOString(),
    params: { name: 'due' },
  });
  await clientOf(first).schedules.run({ id: wanted.id });
  await first.kernel.settled();
  t.same(ledger.lines, ['admin begins wanted', 'wanted ends']);
  await first.kernel.close();

  const second = clientOf(await start());
  t.match(await history(second, wanted, 1), [{ status: 'success', trigger: 'manual' }]);
  await until(
    () => Date.now(),
    (now) => now > due + 500,
  );
  t.same(await history(second, other, 0), [], 'due schedules wait for a server');
});
