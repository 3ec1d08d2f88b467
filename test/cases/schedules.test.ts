import t from 'tap';
import type { SchedulesApi } from '../../extensions/schedules/contract.js';
import { connect } from '../../kernel/client/connect.js';
import { http } from '../../kernel/client/http.js';
import { login } from '../extensions/chat/world.js';
import { history, ledger, scheduled, TestClock, withLabour } from '../extensions/schedules/world.js';
import { startPlatform } from '../helpers/platform.js';
import { startReceiver } from '../helpers/vendors/receiver.js';
import { bodyCases } from './schedules/bodies.js';
import { pastCases, timeCases } from './schedules/times.js';
import { refusedZones, zoneCases, zoneSource } from './schedules/zones.js';

const noon = '2026-11-20T12:00:00.000Z';
const hour = 3_600_000;

t.test('schedules over HTTP are accepted or rejected', async (t) => {
  const clock = new TestClock();
  clock.set(noon);
  const platform = await startPlatform(t, { ...withLabour, clock });
  const { token } = await login(t, platform);
  const transport = http({ url: platform.url, token });
  t.teardown(() => transport.close());
  const { schedules } = connect<SchedulesApi>(platform.kernel.operations(), transport);
  const work = { action: 'labour.work', params: { name: 'work' } };

  for (const { name, source, timezone, value, at } of timeCases)
    await t.test(`${name} (${source})`, async (t) => {
      const trigger = { trigger_type: 'once', trigger_value: value, ...(timezone ? { timezone } : {}) } as const;
      t.same(
        (await schedules.preview_new({ ...trigger, count: 10 })).times.map((time) => time.at),
        [at],
      );
      const made = await schedules.create({ name, ...trigger, ...work });
      t.equal(made.next_run_at, at);
      t.same(
        (await schedules.preview({ id: made.id, count: 10 })).times.map((time) => time.at),
        [at],
      );
    });

  for (const { name, source, timezone = 'UTC', value } of pastCases)
    await t.test(`${name} (${source})`, async (t) => {
      const made = schedules.create({ name, trigger_type: 'once', trigger_value: value, timezone, ...work });
      await t.rejects(made, { code: 'trigger_invalid', details: [{ path: 'trigger_value' }] });
    });

  await t.test(`every name of the time zone database is a zone (${zoneSource})`, async (t) => {
    for (const { timezone, noon: shown } of zoneCases) {
      const trigger_value = `2027-07-0${shown.startsWith('00') || timezone === 'Etc/GMT-14' ? 2 : 1}T${shown}`;
      const { times } = await schedules.preview_new({ trigger_type: 'once', trigger_value, timezone, count: 1 });
      t.equal(times[0]?.at, '2027-07-01T12:00:00.000Z', timezone);
    }
    for (const timezone of refusedZones) {
      const preview = schedules.preview_new({ trigger_type: 'cron', trigger_value: '0 9 * * *', timezone, count: 1 });
      await t.rejects(preview, { code: 'trigger_invalid', details: [{ path: 'timezone' }] }, timezone);
    }
  });

  await t.test('the preview of an interval shows its planned times at any moment', async (t) => {
    const made = await scheduled({ schedules } as Parameters<typeof scheduled>[0], { trigger_value: '2h' });
    const first = Date.parse(made.next_run_at ?? '');
    const planned = async () => (await schedules.preview({ id: made.id, count: 3 })).times.map(({ at }) => Date.parse(at));
    clock.move(hour / 2);
    t.same(await planned(), [first, first + 2 * hour, first + 4 * hour], 'the times are the same half an hour later');
    clock.move(2 * hour);
    await history({ schedules } as Parameters<typeof history>[0], made, 1);
    t.same(await planned(), [first + 2 * hour, first + 4 * hour, first + 6 * hour], 'the times continue after a run');
    await schedules.toggle({ id: made.id });
    const [next] = await planned();
    t.ok(Math.abs((next ?? 0) - clock.now() - 2 * hour) < 60_000, 'a disabled schedule counts from now, as enabling it does');
    t.ok(ledger.lines.length > 0);
  });
});

t.test('the bodies of http.request work over HTTP and in a schedule', async (t) => {
  const receiver = await startReceiver(t, () => ({ body: 'ok' }));
  const platform = await startPlatform(t, { ...withLabour, settings: { fetch_allow: ['127.0.0.1'] } });
  const { token } = await login(t, platform);
  const transport = http({ url: platform.url, token });
  t.teardown(() => transport.close());
  const client = connect<SchedulesApi>(platform.kernel.operations(), transport);
  for (const { name, source, given, type, body } of bodyCases)
    await t.test(`${name} (${source})`, async (t) => {
      const params = { url: receiver.origin, method: 'POST', ...given };
      const made = await client.schedules.create({ name, trigger_type: 'interval', trigger_value: '1h', action: 'http.request', params });
      t.same(made.params, { ...params, ...(given.headers ? { headers: { [Object.keys(given.headers)[0] ?? '']: '[redacted]' } } : {}) });
      await client.schedules.run({ id: made.id });
      await history(client as Parameters<typeof history>[0], made, 1);
      await client.http.request(params);
      const [planned, asked] = receiver.received.slice(-2);
      for (const one of [planned, asked]) t.same([one?.headers['content-type'], one?.text], [type, body]);
    });
});
