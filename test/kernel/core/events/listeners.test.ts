import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { Events } from '../../../../kernel/core/events/events.js';
import { Listeners } from '../../../../kernel/core/events/listeners.js';
import type { Data, DataOptions } from '../../../../kernel/platform/data/hub.js';
import { openData } from '../../../../kernel/platform/data/hub.js';
import { createLog } from '../../../../kernel/platform/log/log.js';
import { openTransport } from '../../../../kernel/platform/transport/transport.js';
import { gate } from '../../../extensions/chat/scribe.js';
import { eachDatabase, freshPostgres, type Place, silentLog, systemClock, temporaryFolder } from '../../../helpers/databases.js';
import { becomes, until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { startRedis } from '../../../helpers/redis.js';

const skip = skipWithout('postgres', 'redis');
const extension = 'watch';
const topic = 'ledger.added';

interface Shared {
  database_url: string;
  bus_url: string;
}

interface Instance {
  name: string;
  data: Data;
  events: Events;
  /** Emitted events that it received. */
  heard: unknown[];
  /** How often it asked the database for what: `SELECT`, `UPDATE`, … */
  asked: Map<string, number>;
}

async function sharedServers(t: Test): Promise<Shared> {
  const redis = await startRedis();
  t.teardown(() => redis.stop());
  return { database_url: await freshPostgres(), bus_url: redis.url };
}

/** An instance with a listener of the topic. With `delivers: false` it tells the others that it delivers, and doesn't. */
async function startInstance(
  t: Test,
  { database_url, bus_url }: Shared,
  { delivers = true, until_heard = Promise.resolve() } = {},
): Promise<Instance> {
  const asked = new Map<string, number>();
  const watch: DataOptions['watch'] = (kind, work) => {
    asked.set(kind, (asked.get(kind) ?? 0) + 1);
    return work();
  };
  const data = await openData({ url: database_url, data_dir: await temporaryFolder(t), clock: systemClock, log: silentLog, watch });
  t.teardown(() => data.close());
  const transport = await openTransport({ url: bus_url, clock: systemClock, log: silentLog });
  t.teardown(() => transport.close());
  const name = randomUUID();
  const common = { data, bus: transport.bus, clock: systemClock, instance: name };
  const listeners = new Listeners({ ...common, log: createLog({ level: 'silent' }) });
  const events = new Events({ ...common, transactionalListeners: () => [], listeners: delivers ? listeners : { of: () => [extension] } });
  const heard: unknown[] = [];
  if (delivers) {
    await listeners.register(extension, [topic]);
    const handler = async ({ payload }: { payload: unknown }) => {
      heard.push(payload);
      await until_heard;
    };
    t.teardown(await listeners.start(extension, { topic, handler }));
  }
  asked.clear();
  return { name, data, events, heard, asked };
}

/** Those of the one instance that a database has. `shift_ms`: the lead of the clock of its listeners. */
async function lone(t: Test, data: Data, shift_ms = 0): Promise<{ listeners: Listeners; events: Events }> {
  const transport = await openTransport({ url: 'memory:', clock: systemClock, log: silentLog });
  t.teardown(() => transport.close());
  const common = { data, bus: transport.bus, clock: systemClock, instance: randomUUID() };
  const clock = { ...systemClock, now: () => systemClock.now() + shift_ms };
  const listeners = new Listeners({ ...common, clock, log: createLog({ level: 'silent' }) });
  const events = new Events({ ...common, transactionalListeners: () => [], listeners });
  return { listeners, events };
}

/** A listener of three events that were emitted, told to stop during the first; and the next, which asks for its lease. */
async function replaced(t: Test, place: Place) {
  let writes = 0;
  const watch: DataOptions['watch'] = (kind, work) => {
    if (kind === 'UPDATE') writes += 1;
    return work();
  };
  const data = await place.open({ watch });
  const { listeners, events } = await lone(t, data);
  await listeners.register(extension, [topic]);
  for (const n of [1, 2, 3]) await events.emit(topic, n);
  const heard: string[] = [];
  const start = (name: string, heard_all: Promise<void>) => {
    const handler = async ({ payload }: { payload: unknown }) => {
      heard.push(`${name} ${payload as number}`);
      await heard_all;
    };
    return listeners.start(extension, { topic, handler });
  };
  const [first, second] = [gate(), gate()];
  const stop = await start('old', first.passed);
  await becomes(t, () => heard, ['old 1']);
  const stopped = stop();
  const written = writes;
  t.teardown(await start('next', second.passed));
  await until(
    () => writes,
    (found) => found > written,
  );
  return { db: data.facade('kernel'), heard, first, second, stopped };
}

/** How many rows and places of the index were read of the outbox, by connections that have ended: then all can see it. */
async function rowsRead(t: Test, { database_url }: Shared): Promise<number> {
  const data = await openData({ url: database_url, data_dir: await temporaryFolder(t), clock: systemClock, log: silentLog });
  const ask = async (sql: string) => Number((await data.facade('kernel').rows<{ found: number }>(sql))[0]?.found);
  await until(
    () => ask('SELECT count(*) AS found FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()'),
    (others) => others === 0,
  );
  const read = await ask(
    "SELECT (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'kernel_outbox') + " +
      "(SELECT SUM(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'kernel_outbox') AS found",
  );
  await data.close();
  return read;
}

t.test('an instance polls only occasionally for events that another instance delivers', { skip }, async (t) => {
  const shared = await sharedServers(t);
  const [one, other] = [await startInstance(t, shared), await startInstance(t, shared)];
  const delivered = (count: number) =>
    until(
      () => one.heard.length + other.heard.length,
      (heard) => heard === count,
    );
  const began = performance.now();
  for (let n = 1; n <= 100; n += 1) {
    await one.events.emit(topic, { n });
    await delivered(n);
  }
  // It was told of each by now: what it hears of them comes in their order.
  await other.events.emit(topic, { n: 101 });
  await delivered(101);
  const looks = Math.ceil((performance.now() - began) / 500) + 1;
  // It may deliver an event emitted during a look (claim, read, advance, release), as it delivers its own.
  const max = looks + 1;
  const [reads = 0, writes = 0] = [other.asked.get('SELECT'), other.asked.get('UPDATE')];
  t.ok(writes <= 4 * max, `${writes} writes in ${looks} looks`);
  t.ok(reads <= looks + 4 * max, `${reads} reads in ${looks} looks`);
});

t.test('events of an instance that dies before delivering them are delivered', { skip }, async (t) => {
  const shared = await sharedServers(t);
  const other = await startInstance(t, shared);
  const dying = await startInstance(t, shared, { delivers: false });
  await dying.events.emit(topic, { n: 1 });
  await until(
    () => other.heard.length,
    (heard) => heard === 1,
  );
  t.same(other.heard, [{ n: 1 }]);
});

t.test('events of a lease that a fault left claimed are delivered', { skip }, async (t) => {
  const shared = await sharedServers(t);
  const { name, data, heard } = await startInstance(t, shared);
  await data.facade('kernel').run("UPDATE kernel_listeners SET owner = $1, lease_until = '9999-01-01T00:00:00.000Z'", [`${name}:1`]);
  const dying = await startInstance(t, shared, { delivers: false });
  await dying.events.emit(topic, { n: 1 });
  await until(
    () => heard.length,
    (found) => found === 1,
  );
  t.same(heard, [{ n: 1 }]);
});

t.test('a stopped listener finishes its current event, and the next continues after it', (t) =>
  eachDatabase(t, async (t, _, place) => {
    const { heard, first, second, stopped } = await replaced(t, place);
    second.open();
    first.open();
    await stopped;
    await becomes(t, () => heard, ['old 1', 'next 2', 'next 3']);
  }),
);

t.test('a listener that lost its lease neither moves the cursor back nor releases the new lease', (t) =>
  eachDatabase(t, async (t, _, place) => {
    const { db, heard, first, second, stopped } = await replaced(t, place);
    const row = async () => (await db.rows<{ owner: string; cursor_id: number }>('SELECT owner, cursor_id FROM kernel_listeners'))[0];
    const old = (await row())?.owner ?? '';
    const lapsed = () => db.run("UPDATE kernel_listeners SET lease_until = '2020' WHERE owner = $1", [old]);
    await until(
      () => lapsed().then(() => heard.length),
      (found) => found === 2,
    );
    const before = await row();
    first.open();
    await stopped;
    t.same(await row(), before);
    second.open();
    await becomes(t, () => heard, ['old 1', 'next 1', 'next 2', 'next 3']);
  }),
);

t.test('events held back by an open transaction are delivered after it ends, in their place', { skip }, async (t) => {
  const shared = await sharedServers(t);
  const [first, older] = [gate(), gate()];
  const { data, events, heard } = await startInstance(t, shared, { until_heard: first.passed });
  const all = (count: number) =>
    until(
      () => heard.length,
      (found) => found === count,
      // Long before it would look without a word.
      3_000,
    );
  await events.emit(topic, { n: 1 });
  await all(1);
  await events.emit(topic, { n: 2 });
  const begun = gate();
  const open = data.facade('kernel').transaction(async () => {
    await data.facade('kernel').rows('SELECT pg_current_xact_id()');
    begun.open();
    await older.passed;
  });
  await begun.passed;
  await events.emit(topic, { n: 3 });
  first.open();
  await all(2);
  older.open();
  await open;
  await all(3);
  t.same(heard, [{ n: 1 }, { n: 2 }, { n: 3 }]);
});

t.test('polling backs off while an open transaction holds events back', { skip }, async (t) => {
  const shared = await sharedServers(t);
  const { data, events, heard, asked } = await startInstance(t, shared);
  const [begun, ended] = [gate(), gate()];
  const open = data.facade('kernel').transaction(async () => {
    await data.facade('kernel').rows('SELECT pg_current_xact_id()');
    begun.open();
    await ended.passed;
  });
  await begun.passed;
  await events.emit(topic, { n: 1 });
  const began = performance.now();
  // Eight turns, each of which takes the lease and releases it.
  await until(
    () => asked.get('UPDATE') ?? 0,
    (writes) => writes >= 16,
  );
  const took_ms = performance.now() - began;
  t.ok(took_ms > 1_000, `they took ${took_ms} ms`);
  ended.open();
  await open;
  await becomes(t, () => heard, [{ n: 1 }]);
});

t.test('a new listener gets events of transactions that were open before it', { skip }, async (t) => {
  const shared = await sharedServers(t);
  const { data, events } = await startInstance(t, shared, { delivers: false });
  const [begun, known] = [gate(), gate()];
  const older = data.facade('kernel').transaction(async () => {
    await data.facade('kernel').rows('SELECT pg_current_xact_id()');
    begun.open();
    await known.passed;
    await events.emit(topic, { n: 2 });
  });
  await begun.passed;
  await events.emit(topic, { n: 1 });
  const { heard } = await startInstance(t, shared);
  known.open();
  await older;
  await until(
    () => heard,
    () => heard.some((each) => (each as { n: number }).n === 2),
  );
});

t.test('a new listener gets no event emitted before it', (t) => {
  const work = async (t: Test, data: Data) => {
    const { listeners, events } = await lone(t, data);
    const heard: unknown[] = [];
    await events.emit(topic, 1);
    await listeners.register(extension, [topic]);
    await events.emit(topic, 2);
    t.teardown(await listeners.start(extension, { topic, handler: async ({ payload }) => void heard.push(payload) }));
    await until(
      () => heard.length,
      (found) => found > 0,
    );
    t.same(heard, [2]);
  };
  return eachDatabase(t, work, { alone: true });
});

t.test('new events are found without reading delivered ones', { skip }, async (t) => {
  const kept = 20_000;
  const shared = await sharedServers(t);
  const before = await startInstance(t, shared);
  const db = before.data.facade('kernel');
  await db.run(
    `INSERT INTO kernel_outbox (topic, payload, emitted_at, txid) SELECT $1::text, '{}', '2026', 0 FROM generate_series(1, ${kept})`,
    [topic],
  );
  await db.run('UPDATE kernel_listeners SET cursor_txid = 0, cursor_id = (SELECT MAX(id) FROM kernel_outbox)');
  await db.run('ANALYZE kernel_outbox');
  await before.data.close();
  const read_before = await rowsRead(t, shared);
  await t.test('five events are emitted', async (t) => {
    const { data, events, heard } = await startInstance(t, shared);
    for (let n = 1; n <= 5; n += 1) await events.emit(topic, { n });
    await until(
      () => heard.length,
      (found) => found === 5,
    );
    await data.close();
  });
  const read = (await rowsRead(t, shared)) - read_before;
  t.ok(read < kept / 10, `${read} rows were read`);
});

t.test('an event is deleted a minute after it was emitted, but not before all its listeners have received it', (t) =>
  eachDatabase(
    t,
    async (t, data) => {
      const { listeners, events } = await lone(t, data, 61_000);
      const young = (await lone(t, data)).listeners;
      const stored = () => data.models.outbox.count();
      const heard: string[] = [];
      const start = async (name: string) =>
        t.teardown(await listeners.start(name, { topic, handler: async ({ payload }) => void heard.push(`${name} ${payload as number}`) }));
      for (const name of ['one', 'other']) await listeners.register(name, [topic]);
      for (const n of [1, 2, 3]) await events.emit(topic, n);
      await events.emit('ledger.unheard', 4);
      await start('one');
      await becomes(t, () => heard, ['one 1', 'one 2', 'one 3']);
      t.equal(await young.sweepDelivered(), 0);
      t.equal(await listeners.sweepDelivered(), 1, 'the one that nobody listens to');
      t.equal(await stored(), 3, 'the others wait for another listener');
      await start('other');
      await becomes(t, () => heard.slice(3), ['other 1', 'other 2', 'other 3']);
      let swept = 0;
      await becomes(
        t,
        async () => {
          swept += await listeners.sweepDelivered();
          return stored();
        },
        0,
      );
      t.equal(swept, 3);
      await events.emit(topic, 5);
      await becomes(t, () => heard.slice(6).sort(), ['one 5', 'other 5']);
    },
    { alone: true },
  ),
);
