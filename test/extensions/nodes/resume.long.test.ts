import { join } from 'node:path';
import t from 'tap';
import type { StreamEvent } from '../../../kernel/contract/index.js';
import { SchedulesTable } from '../../bench/schedules-table.js';
import { until } from '../../helpers/eventually.js';
import { skipWithout } from '../../helpers/parts.js';
import { callerOf } from '../../helpers/platform.js';
import { becomes, clientOf, leftOn, startOn, startWorld, walled } from './world.js';

const skip = skipWithout('docker', 'registry');
const page = { limit: 10, offset: 0 };

async function read(events: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const all: StreamEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

t.test('the creation of a node continues after a restart of the platform', { skip }, async (t) => {
  const { platform, engine, admin, docker } = await startWorld(t);
  const [waiting] = await Promise.all([
    admin.nodes.create({ name: 'waits', respond_async: false }).catch((fault: unknown) => fault),
    admin.nodes.create({ name: 'box', respond_async: true }).then(() => platform.kernel.close()),
  ]);
  t.ok(waiting);
  const again = clientOf(await startOn(t, engine, { settings: { data_dir: platform.data_dir } }));
  const { items } = await again.nodes.list(page);
  t.ok(items.some(({ name }) => name === 'box'));
  for (const { id } of items) await becomes(again, id, 'online');
  for (const { id } of items) await walled(again, id);
  t.equal((await leftOn(docker)).length, items.length * 3);
});

t.test("a reader of a node's events resumes after the last one that it has read", { skip }, async (t) => {
  const { admin } = await startWorld(t);
  const { id } = await admin.nodes.create({ name: 'box', respond_async: true });
  const whole = await read(admin.nodes.events({ id }));
  const [first, ...rest] = whole;
  t.same(await read(admin.nodes.events({ id, after: first?.id ?? '' })), rest);
  const last = whole.at(-2);
  t.match(last, { type: 'node.updated', data: { node: { status: 'online' } } });
  t.same(await read(admin.nodes.events({ id, after: last?.id ?? '' })), [whole.at(-1)]);
});

t.test('a request whose key was lost with its process finds the node it created', { skip }, async (t) => {
  const { platform, admin } = await startWorld(t);
  const create = () => platform.kernel.invoke('nodes.create', { name: 'box' }, callerOf(), { idempotency_key: 'one' });
  const { body } = await create();
  const table = await SchedulesTable.open(join(platform.data_dir, 'platform.db'));
  t.teardown(() => table.close());
  await table.rows('DELETE FROM kernel_idempotency');
  t.same((await create()).body, body);
  t.equal((await admin.nodes.list(page)).total, 1);

  await t.test('a request whose key was lost also finds a node that is still being created', async (t) => {
    const ask = (operation: string, key: string) =>
      platform.kernel.invoke(operation, { name: 'other' }, callerOf(), { idempotency_key: key });
    const first = ask('nodes.create', 'two');
    await until(
      () => admin.nodes.list(page),
      ({ total }) => total === 2,
    );
    await table.rows('DELETE FROM kernel_idempotency');
    const second = ask('nodes.create', 'two');
    t.match((await second).body, { id: 2, status: 'online' });
    t.match((await first).body, { id: 2, status: 'online' });
  });

  await t.test("a request whose key was lost finds neither another request's node nor one a day old", async (t) => {
    const ask = (operation: string, name: string, more: object = {}) =>
      platform.kernel.invoke(operation, { name, config: { network: 'none' }, ...more }, callerOf(), { idempotency_key: 'three' });
    const forget = () => table.rows('DELETE FROM kernel_idempotency');
    t.match((await ask('nodes.create', 'third')).body, { id: 3 });
    await forget();
    t.match((await ask('nodes.create', 'fourth')).body, { id: 4, name: 'fourth' });
    await forget();
    await t.rejects(ask('nodes.register', 'fourth', { node_type: 'docker' }), { code: 'node_name_taken' });
    t.match((await ask('nodes.create', 'fourth')).body, { id: 4 });
    await forget();
    await table.rows(`UPDATE nodes_nodes SET created_at = '${new Date(Date.now() - 25 * 3_600_000).toISOString()}'`);
    await t.rejects(ask('nodes.create', 'fourth'), { code: 'node_name_taken' });
    await admin.nodes.update({ id: 4, name: 'old' });
    t.match((await ask('nodes.create', 'fourth')).body, { name: 'fourth', status: 'online' });
    t.equal((await admin.nodes.list(page)).total, 5);
  });
});
