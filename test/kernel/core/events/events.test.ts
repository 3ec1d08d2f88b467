import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { SchedulesTable } from '../../../bench/schedules-table.js';
import { eachPlatform, startCluster } from '../../../helpers/cluster.js';
import { becomes } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { callerOf, fixture, type TestPlatform } from '../../../helpers/platform.js';

const extensions = [fixture('ledger'), fixture('ledger-watch')];
const caller = callerOf();

const add = ({ kernel }: TestPlatform, text: string, fail = false) => kernel.invoke('ledger.add', { text, fail }, caller);

const list = async ({ kernel }: TestPlatform) => ((await kernel.invoke('ledger.list', {}, caller)).body as { texts: string[] }).texts;

const heard = async ({ kernel }: TestPlatform) =>
  (await kernel.invoke('ledger-watch.heard', {}, caller)).body as { texts: string[]; attempts: number };

t.test('an event is delivered once, in order, after its commit', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    for (const text of ['one', 'two', 'three']) await add(platform, text);
    await becomes(t, async () => (await heard(platform)).texts, ['one', 'two', 'three']);
    t.equal((await heard(platform)).attempts, 3);
  }),
);

t.test('the events of a rolled-back transaction are dropped', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    await t.rejects(add(platform, 'lost', true), { code: 'ledger_failed' });
    await add(platform, 'kept');
    await becomes(t, async () => (await heard(platform)).texts, ['kept']);
    t.same(await list(platform), ['kept']);
  }),
);

t.test('a listener inside the transaction can reject it', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    await t.rejects(add(platform, 'refused'), { message: 'The watch refuses this entry' });
    t.same(await list(platform), []);
  }),
);

t.test('an event is delivered again after its listener throws, before the following ones', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    await add(platform, 'stumble');
    await add(platform, 'after');
    await becomes(t, async () => (await heard(platform)).texts, ['stumbled', 'stumble', 'after'], 15_000);
  }),
);

t.test('events emitted while a listener was inactive are delivered after its start', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    await add(platform, 'before');
    await becomes(t, async () => (await heard(platform)).texts, ['before']);
    await platform.kernel.installer.disable('ledger-watch');
    await add(platform, 'meanwhile');
    await platform.kernel.installer.enable('ledger-watch');
    await becomes(t, async () => (await heard(platform)).texts, ['meanwhile']);
  }),
);

t.test('an instance whose clock is ahead claims a lease only after it has expired', (t) =>
  eachPlatform(t, { listen: false, extensions, clock: { now: () => Date.now() + 120_000 } }, async (t, platform) => {
    const isAlone = platform.database_url === 'sqlite:';
    const database = await SchedulesTable.open(isAlone ? join(platform.data_dir, 'platform.db') : platform.database_url);
    const taken = (until: number) =>
      database.rows(`UPDATE kernel_listeners SET owner = 'another', lease_until = '${new Date(until).toISOString()}'`);
    await taken(Date.now() + 15_000);
    await add(platform, 'held');
    if (!isAlone) {
      await pause(300);
      t.same((await heard(platform)).texts, []);
      await taken(Date.now() - 1);
    }
    await becomes(t, async () => (await heard(platform)).texts, ['held']);
    await database.close();
  }),
);

t.test('concurrent emitters on PostgreSQL lose no event in any order of commits', { skip: skipWithout('postgres', 'redis') }, async (t) => {
  const [first, second] = (await startCluster(t, 2, { listen: false, extensions })) as [TestPlatform, TestPlatform];
  const texts = Array.from({ length: 60 }, (_, n) => `entry ${n}`);
  await Promise.all(texts.map((text, n) => (n % 2 ? first : second).kernel.invoke('ledger.add', { text, wait_ms: (n * 7) % 40 }, caller)));
  const both = async () => [...(await heard(first)).texts, ...(await heard(second)).texts];
  await becomes(t, async () => (await both()).sort(), [...texts].sort(), 15_000);
  await pause(100);
  t.equal((await both()).length, texts.length, 'each event was delivered on one instance only');
});
