import t from 'tap';
import type { StatusRecord } from '../../../kernel/contract/system.js';
import { until } from '../../helpers/eventually.js';
import { callerOf, fixture, ownExtension, startPlatform, type TestPlatform } from '../../helpers/platform.js';

const statusOf = async ({ kernel }: TestPlatform) => (await kernel.invoke('status.get', {}, callerOf())).body as StatusRecord;

t.test('status counts answers and shows the load of the process while it is queried', async (t) => {
  const settings = { 'members.seats': 5 };
  const platform = await startPlatform(t, { extensions: [ownExtension('members'), fixture('hello')], settings });
  const first = await statusOf(platform);
  t.match(first, {
    pid: process.pid,
    http: { url: platform.url, requests: 0, errors: 0, streams: 0, sockets: 0 },
    event_loop_delay_ms: null,
    cpu_percent: null,
    extensions: { active: 3, disabled: 0, failed: [] },
    seats: { used: 1, limit: 5 },
  });
  t.match(
    first.figures.find(({ name }) => name === 'platform_members_people'),
    { extension: 'members', value: 1 },
  );
  await fetch(`${platform.url}/api/version`);
  t.match((await statusOf(platform)).http, { requests: 1, errors: 0 });
  const later = await until(
    () => statusOf(platform),
    ({ cpu_percent }) => cpu_percent !== null,
  );
  t.type(later.event_loop_delay_ms?.p99, 'number');
  t.same((await statusOf(platform)).cpu_percent, later.cpu_percent, 'the figures of a second do not cover a shorter time');
});

t.test('a process without a server reports so, names failed extensions and works without a count of seats', async (t) => {
  const platform = await startPlatform(t, { listen: false, background: false, extensions: [fixture('hello'), fixture('broken-activate')] });
  const found = await statusOf(platform);
  t.match(found, { http: null, seats: null, extensions: { active: 2 } });
  t.match(found.extensions.failed, [{ name: 'broken-activate', error: /./ }]);
});
