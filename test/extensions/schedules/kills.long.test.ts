import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { MembersApi } from '../../../extensions/members/contract.js';
import { connect } from '../../../kernel/client/connect.js';
import { http } from '../../../kernel/client/http.js';
import { SchedulesTable } from '../../bench/schedules-table.js';
import { sharedSettings } from '../../helpers/cluster.js';
import { until } from '../../helpers/eventually.js';
import { skipWithout } from '../../helpers/parts.js';
import { adminPassword, startPlatform, temporaryFolder } from '../../helpers/platform.js';
import { startServer } from '../../helpers/server-process.js';
import { history, type SchedulesClient, scheduled } from './world.js';

/** A server that answers nothing until it is told to. */
async function hanging(t: Test): Promise<{ url: string; asked: () => number; answer: () => void }> {
  const waiting: (() => void)[] = [];
  let asked = 0;
  let answers = false;
  const server = createServer((_request, response) => {
    asked += 1;
    if (answers) response.end('late');
    else waiting.push(() => response.end('late'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.closeAllConnections());
  t.teardown(() => server.close());
  const answer = () => {
    answers = true;
    for (const one of waiting) one();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked: () => asked, answer };
}

/** As if the server had been down since before five planned times of a schedule of each minute. */
async function missFive(database: string, id: number): Promise<void> {
  const table = await SchedulesTable.open(database);
  await table.rows(`UPDATE schedules_schedules SET next_at = ${Date.now() - 4 * 60_000 - 35_000} WHERE id = ${id}`);
  await table.close();
}

/** A server on these settings is killed while it runs twenty of a hundred; another takes over. */
async function killed(t: Test, environment: Record<string, string>, database: string): Promise<void> {
  const away = await hanging(t);
  const operations = (await startPlatform(t, { listen: false, background: false })).kernel.operations();
  const start = async () => {
    const server = await startServer(t, { ...environment, PLATFORM_FETCH_ALLOW: '127.0.0.1' });
    const nobody = http({ url: server.url });
    const { access_token: token } = await connect<MembersApi>(operations, nobody).auth.login({
      username: 'admin',
      password: adminPassword,
    });
    await nobody.close();
    const transport = http({ url: server.url, token, resume: { attempts: 0 } });
    t.teardown(() => transport.close());
    return { server, client: connect(operations, transport) as unknown as SchedulesClient };
  };

  const first = await start();
  const call = { action: 'http.request', params: { url: away.url }, retries: 3 };
  const minutely = await scheduled(first.client, { ...call, name: 'Minutely', trigger_value: '1m' });
  const schedules = await Promise.all(Array.from({ length: 70 }, (_, n) => scheduled(first.client, { ...call, name: `Call ${n}` })));
  await Promise.all(schedules.map(({ id }) => first.client.schedules.run({ id })));
  await until(away.asked, (asked) => asked === 50);
  await first.server.kill('SIGKILL');
  await missFive(database, minutely.id);

  away.answer();
  const { client } = await start();
  const slots = await history(client, minutely, 2);
  t.match(
    slots.sort((one, other) => (one.status < other.status ? -1 : 1)),
    [
      { status: 'missed', missed_count: 5 },
      { status: 'success', trigger: 'catch_up' },
    ],
  );
  t.same(slots[1]?.scheduled_for, slots[0]?.missed_until, 'the latest missed time is caught up on');
  await client.schedules.toggle({ id: minutely.id });
  const runs = await until(
    async () => {
      // Each look asks for all of them.
      await sleep(500);
      return (await Promise.all(schedules.map(({ id }) => client.schedules.history({ id, limit: 10, offset: 0 })))).map(
        ({ items }) => items,
      );
    },
    (all) => all.every((items) => items.every(({ finished_at }) => finished_at !== null)),
    40_000,
  );
  t.ok(
    runs.every((items) => items.length === 1),
    'each time has one row',
  );
  const ends = runs.map(([run]) => `${run?.status} ${run?.error_code}`);
  t.equal(ends.filter((end) => end === 'failed interrupted').length, 50, 'running runs are interrupted and not retried');
  t.equal(ends.filter((end) => end === 'success null').length, 20, 'queued runs start');
  t.equal(away.asked(), 71);
  await history(client, schedules[0] as { id: number }, 1);
}

t.test('runs survive a killed server on SQLite', async (t) => {
  const folder = await temporaryFolder(t);
  await killed(t, { PLATFORM_DATA_DIR: folder }, join(folder, 'platform.db'));
});

t.test('runs survive a killed server on PostgreSQL and Redis', { skip: skipWithout('postgres', 'redis') }, async (t) => {
  const { database_url, bus_url, secret_key } = await sharedSettings(t);
  const shared = {
    PLATFORM_DATABASE_URL: String(database_url),
    PLATFORM_BUS_URL: String(bus_url),
    PLATFORM_SECRET_KEY: String(secret_key),
  };
  await killed(t, { ...shared, PLATFORM_DATA_DIR: await temporaryFolder(t) }, String(database_url));
});
