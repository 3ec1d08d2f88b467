import t, { type Test } from 'tap';
import { type Bus, type Entry, type Frame, fail, type Journal } from '../../../../kernel/contract/index.js';
import { MemoryBus } from '../../../../kernel/platform/bus/memory.js';
import type { Data } from '../../../../kernel/platform/data/hub.js';
import { memberTopic } from '../../../../kernel/platform/journal/member-topic.js';
import { MemoryJournal } from '../../../../kernel/platform/journal/memory.js';
import { type Broadcast, Pusher } from '../../../../kernel/platform/journal/pusher.js';
import { eachDatabase, silentLog, systemClock } from '../../../helpers/databases.js';
import { becomes } from '../../../helpers/eventually.js';

/** A journal that can be away. */
class Unsteady extends MemoryJournal {
  away = false;
  appends = 0;
  /** The wait of an append for many topics. */
  answer: Promise<void> | undefined;

  override append(topic: string, entries: readonly { type: string; data: object }[]): Promise<string> {
    this.appends += 1;
    if (this.away) return Promise.reject(fail('bus_unavailable', 'It is away'));
    return super.append(topic, entries);
  }

  override async appendExisting(topics: readonly string[], entries: readonly { type: string; data: object }[]): Promise<void> {
    this.appends += 1;
    await this.answer;
    if (this.away) throw fail('bus_unavailable', 'It is away');
    return super.appendExisting(topics, entries);
  }
}

function opened(t: Test, data: Data, bus: Bus = new MemoryBus(silentLog)) {
  const journal = new Unsteady({ clock: systemClock });
  const pusher = new Pusher({ data, journal, bus, clock: systemClock, log: silentLog, instance: 'one', clustered: true });
  t.teardown(() => pusher.close());
  return { journal, pusher };
}

/** Members of a large group. */
const many = Array.from({ length: 21 }, (_, at) => at + 1);

const note = (n: number): Frame => ({ type: 'note', data: { n } });

/** Returns the kept frames of a member. */
async function kept(journal: Journal, member_id: number): Promise<unknown[]> {
  const topic = memberTopic(member_id);
  const head = await journal.head(topic);
  const found: unknown[] = [];
  if (head.endsWith('.0')) return found;
  for await (const item of journal.follow(topic)) {
    const { type, data, cursor } = item as Entry;
    const { n, reason } = (data as { data: { n?: number; reason?: string } }).data;
    found.push(type === 'note' ? n : reason);
    if (cursor === head) break;
  }
  return found;
}

await eachDatabase(t, async (t, data) => {
  await t.test('frames are stored once per member, in the order of their pushes', async (t) => {
    const { journal, pusher } = opened(t, data);
    for (let n = 1; n <= 250; n += 1) pusher.push({ members: [1, 2, 1] }, note(n));
    await pusher.close();
    const all = Array.from({ length: 250 }, (_, at) => at + 1);
    t.same(await kept(journal, 1), all);
    t.same(await kept(journal, 2), all);
    t.ok(journal.appends < 20, 'many frames are stored in one append');
  });

  await t.test('one resync is sent for frames that could not be stored, before later ones', async (t) => {
    const { journal, pusher } = opened(t, data);
    journal.away = true;
    for (let n = 1; n <= 150; n += 1) pusher.push({ members: [1] }, note(n));
    await becomes(t, () => journal.appends, 1);
    journal.away = false;
    pusher.push({ members: [1] }, note(151));
    await becomes(t, async () => (await kept(journal, 1)).at(-1), 151);
    const found = await kept(journal, 1);
    t.equal(found[0], 'frames_lost');
    t.same(found.filter((each) => each === 'frames_lost').length, 1);
  });

  await t.test('a frame to a large group is stored in one append, for members with a topic', async (t) => {
    const { journal, pusher } = opened(t, data);
    const before = await Promise.all([1, 2].map((id) => journal.head(memberTopic(id))));
    pusher.push({ members: [...many, 1] }, note(1));
    await pusher.close();
    t.equal(journal.appends, 1);
    for (const id of [1, 2]) t.same(await kept(journal, id), [1]);
    t.same(await kept(journal, 3), [], 'a member without a topic');
    t.equal(before.length, 2);
  });

  await t.test('frames to one member stay in order, however large the groups are', async (t) => {
    const { journal, pusher } = opened(t, data);
    for (const id of many) await journal.head(memberTopic(id));
    let answer = (): void => undefined;
    journal.answer = new Promise((resolve) => (answer = resolve));
    for (let n = 1; n <= 40; n += 4) {
      pusher.push({ members: many }, note(n));
      pusher.push({ members: [1, 2] }, note(n + 1));
      pusher.push({ members: many }, note(n + 2));
      pusher.push({ members: [2] }, note(n + 3));
      if (n === 5) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    answer();
    await pusher.close();
    const all = Array.from({ length: 40 }, (_, at) => at + 1);
    t.same(await kept(journal, 2), all);
    t.same(
      await kept(journal, 1),
      all.filter((n) => n % 4 !== 0),
    );
    t.same(
      await kept(journal, 21),
      all.filter((n) => n % 2 === 1),
    );
  });

  await t.test('a large group that lost frames gets one resync before later ones', async (t) => {
    const { journal, pusher } = opened(t, data);
    await journal.head(memberTopic(2));
    journal.away = true;
    pusher.push({ members: many }, note(1));
    await becomes(t, () => journal.appends, 1);
    journal.away = false;
    pusher.push({ members: many }, note(2));
    pusher.push({ members: [2] }, note(3));
    await becomes(t, async () => await kept(journal, 2), ['frames_lost', 2, 3]);
    t.same(await kept(journal, 3), []);
  });

  await t.test('too many frames to large groups make one resync', async (t) => {
    const { journal, pusher } = opened(t, data);
    for (const id of many) await journal.head(memberTopic(id));
    let answer = (): void => undefined;
    journal.answer = new Promise((resolve) => (answer = resolve));
    for (let n = 1; n <= 2_010; n += 1) pusher.push({ members: many }, note(n));
    answer();
    await pusher.close();
    const found = await kept(journal, 1);
    t.same(found.slice(0, 3), [1, 'frames_lost', 2_002]);
    t.equal(found.at(-1), 2_010);
  });

  await t.test('the frames of a transaction are pushed at its commit, and none if it fails', async (t) => {
    const heard: Broadcast[] = [];
    const { journal, pusher } = opened(t, data);
    await pusher.listen((broadcast) => void heard.push(broadcast));
    const db = data.facade('x');
    await db.transaction(async () => {
      pusher.push({ members: [1] }, note(1));
      pusher.push('everyone', note(2));
      await db.rows('SELECT 1 AS one');
      t.same([heard.length, journal.appends], [0, 0]);
    });
    await t.rejects(
      db.transaction(async () => {
        pusher.push({ members: [1] }, note(3));
        pusher.push('everyone', note(4));
        throw new Error('no');
      }),
    );
    t.same(await kept(journal, 1), [1]);
    t.match(heard, [{ to: 'everyone', text: /^\{"type":"note","data":\{"n":2\},"ts":"\d{4}-.*Z"\}$/ }]);
  });
});

t.test('a broadcast arrives at once here, and once on each other instance by the bus', async (t) => {
  const bus = new MemoryBus(silentLog);
  const data = { facade: () => ({ afterCommit: (work: () => void) => work() }) } as unknown as Data;
  const parts = { data, journal: new MemoryJournal({ clock: systemClock }), bus, clock: systemClock, log: silentLog, clustered: true };
  const [one, two] = [new Pusher({ ...parts, instance: 'one' }), new Pusher({ ...parts, instance: 'two' })];
  const heard: Record<string, number> = { one: 0, two: 0 };
  await one.listen(() => (heard.one = (heard.one ?? 0) + 1));
  await two.listen(() => (heard.two = (heard.two ?? 0) + 1));
  one.push('everyone', note(1));
  t.same(heard, { one: 1, two: 0 });
  await becomes(t, () => heard, { one: 1, two: 1 });
  two.push({ members: [1] }, note(2), { keep: false });
  await becomes(t, () => heard, { one: 2, two: 2 });
  one.pushHere({ topic: 'log' }, note(3));
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.same(heard, { one: 3, two: 2 });
});
