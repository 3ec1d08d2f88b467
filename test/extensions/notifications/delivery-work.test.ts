import t, { type Test } from 'tap';
import type { Channel, Delivery } from '../../../extensions/notifications/channels/channel.js';
import { Undelivered } from '../../../extensions/notifications/channels/channel.js';
import { Directory } from '../../../extensions/notifications/channels/directory.js';
import type { Outcome } from '../../../extensions/notifications/deliveries/attempt.js';
import { deliveryWork } from '../../../extensions/notifications/deliveries/work.js';
import { migration as m0001 } from '../../../extensions/notifications/migrations/0001-notifications.js';
import { migration as m0002 } from '../../../extensions/notifications/migrations/0002-kinds.js';
import { migration as m0003 } from '../../../extensions/notifications/migrations/0003-delivery-owners.js';
import { defineModels } from '../../../extensions/notifications/models.js';
import { Preferences } from '../../../extensions/notifications/preferences/preferences.js';
import { Deliveries, type Job } from '../../../extensions/notifications/store/deliveries-sql.js';
import { Items } from '../../../extensions/notifications/store/items-sql.js';
import { MemberRows } from '../../../extensions/notifications/store/members.js';
import type { Data } from '../../../kernel/platform/data/hub.js';
import { eachDatabase, silentLog } from '../../helpers/databases.js';
import { until } from '../../helpers/eventually.js';
import { type Bench, workerOf } from '../../helpers/work.js';

const ada = 7;
const lease_ms = 700;
const secrets = { seal: (plain: Uint8Array) => Buffer.from(plain).toString('hex'), open: (sealed: string) => Buffer.from(sealed, 'hex') };

interface Post extends Pick<Bench<Job, Outcome | undefined, Job>, 'worker' | 'settled'> {
  items: Items;
  deliveries: Deliveries;
}

/** The deliveries of one instance, with a channel of the test's own. */
async function postOf(
  t: Test,
  data: Data,
  send: (delivery: Delivery) => Promise<void>,
  { heartbeat_ms = 100, background = true }: { heartbeat_ms?: number; background?: boolean } = {},
): Promise<Post> {
  const db = data.facade('notifications');
  const models = defineModels(db);
  const [rows, items, deliveries] = [new MemberRows(db, models), new Items(db, models.items), new Deliveries(db, models.deliveries)];
  const channel: Channel = { name: 'test', title: 'The test', fields: [], send };
  const directory = new Directory([channel], () => []);
  const preferences = new Preferences({ members: rows, directory, secrets, checkUrl: async () => undefined });
  const parts = { rows, items, deliveries, directory, preferences, log: silentLog, attempts: { add() {} }, random: () => 0 };
  const work = { ...deliveryWork({ ...parts, base_url: undefined }), lease_ms, heartbeat_ms };
  await preferences.set(ada, { test: { enabled: true } });
  return { items, deliveries, ...workerOf(t, work, { data, extension: 'notifications', background }) };
}

/** Adds a notification and its delivery. */
async function add({ items, deliveries }: Post): Promise<{ id: number; delivery: number }> {
  const item = {
    source: 'system',
    kind: 'notice',
    about: {},
    title: 'T',
    summary: '',
    link: null,
    sameness: '',
    created_at: '2026-01-01T00:00:00.000Z',
  } as const;
  const id = (await items.insert([ada], item))[0]?.notification.id as number;
  const [delivery = 0] = await deliveries.insert([{ notification_id: id, member_id: ada, channel: 'test' }]);
  return { id, delivery };
}

t.test('the notifications of a dead process are delivered after its claim expires', async (t) => {
  await eachDatabase(t, async (t, data, place) => {
    await data.migrate('notifications', [m0001, m0002, m0003]);
    const other = await place.open();
    let sends = 0;
    const send = () => {
      sends += 1;
      return new Promise<void>(() => undefined);
    };
    const dead = await postOf(t, data, send, { heartbeat_ms: 60_000 });
    const sent: number[] = [];
    const alive = await postOf(t, other, async ({ note }) => void sent.push(note.id));
    const { id } = await add(dead);
    void dead.worker.wake();
    await until(
      () => sends,
      (count) => count === 1,
    );
    await alive.worker.wake();
    t.same(sent, [], 'nobody else delivers while the claim is valid');
    const begun = Date.now();
    await until(
      () => {
        void alive.worker.wake();
        return sent.length;
      },
      (count) => count > 0,
    );
    t.ok(Date.now() - begun < 3 * lease_ms, 'the delivery starts soon after the lease expires');
    t.same(sent, [id]);
    await until(
      () => alive.items.find(id, ada),
      (found) => found?.status === 'sent',
    );
    t.match(await alive.deliveries.recordsOf(id), [{ status: 'accepted', attempts: 2, error: null }]);
  });
});

t.test('two workers deliver each notification once, and a late result changes nothing', async (t) => {
  await eachDatabase(t, async (t, data, place) => {
    await data.migrate('notifications', [m0001, m0002, m0003]);
    const other = await place.open();
    const sent: number[] = [];
    const send = async ({ note }: Delivery) => void sent.push(note.id);
    const [one, two] = [await postOf(t, data, send), await postOf(t, other, send)];
    const ids: number[] = [];
    for (let n = 0; n < 30; n += 1) ids.push((await add(one)).id);
    void one.worker.wake();
    void two.worker.wake();
    await until(
      () => sent.length,
      (count) => count >= 30,
    );
    t.same(
      sent.sort((a, b) => a - b),
      ids,
    );
    await Promise.all([one.settled(), two.settled()]);

    const { id: late, delivery } = await add(one);
    const claimed = async ({ worker }: Post, attempts: number): Promise<Job> => {
      t.ok(await worker.take(delivery));
      return { id: delivery, notification_id: late, member_id: ada, channel: 'test', attempts };
    };
    const job = await claimed(one, 1);
    await data.facade('notifications').run('UPDATE notifications_deliveries SET due_at = 0 WHERE notification_id = $1', [late]);
    const again = await claimed(two, 2);
    await one.deliveries.fail(job, 'too late', undefined);
    t.match(await one.deliveries.recordsOf(late), [{ status: 'waiting', error: null }]);
    await one.deliveries.release(job);
    t.notOk(await two.worker.take(delivery), 'the claim of the other worker is valid');
    await one.deliveries.accept(job);
    await two.deliveries.fail(again, 'refused', 1);
    t.match(
      await one.deliveries.recordsOf(late),
      [{ status: 'accepted', attempts: 2, error: null }],
      'an accepted delivery stays accepted',
    );
  });
});

t.test('a delivery is attempted nine times and then fails with its error', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('notifications', [m0001, m0002, m0003]);
    const db = data.facade('notifications');
    let tries = 0;
    const post = await postOf(t, data, async () => {
      tries += 1;
      throw new Undelivered(`No ${tries}`);
    });
    const { id } = await add(post);
    const due = async () => (await db.rows<{ due_at: number }>('SELECT due_at FROM notifications_deliveries'))[0]?.due_at;
    const waits: number[] = [];
    for (let n = 1; n <= 9; n += 1) {
      void post.worker.wake();
      await until(
        () => post.deliveries.recordsOf(id),
        ([delivery]) => delivery?.error === `No ${n}`,
      );
      waits.push(Math.round((Number(await due()) - Date.now()) / 1_000));
      await db.run('UPDATE notifications_deliveries SET due_at = 0');
    }
    void post.worker.wake();
    await post.settled();
    t.equal(tries, 9);
    t.match(await post.deliveries.recordsOf(id), [{ status: 'failed', error: 'No 9', attempts: 9 }]);
    t.match(await post.items.find(id, ada), { status: 'pending', error: 'test: No 9' });
    t.ok(
      waits.slice(0, 8).every((wait, index) => Math.abs(wait - 6.3 * 2 ** index) <= 2),
      waits.join(),
    );
  });
});

t.test("a process that runs one command delivers only that command's notifications", async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('notifications', [m0001, m0002, m0003]);
    const sent: number[] = [];
    const post = await postOf(t, data, async ({ note }) => void sent.push(note.id), { background: false });
    await add(post);
    const { id: own, delivery } = await add(post);
    void post.worker.wake();
    await post.settled();
    t.same(sent, []);
    post.worker.adopt(delivery);
    void post.worker.wake();
    await until(
      () => sent.length,
      (count) => count > 0,
    );
    await post.settled();
    t.same(sent, [own]);
  });
});

t.test('an outcome that could not be stored is stored when the database is back', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('notifications', [m0001, m0002, m0003]);
    const sent: number[] = [];
    const post = await postOf(t, data, async ({ note }) => void sent.push(note.id));
    const { id } = await add(post);
    const accept = post.deliveries.accept.bind(post.deliveries);
    let faults = 0;
    post.deliveries.accept = async (job) => {
      faults += 1;
      if (faults === 1) throw new Error('The database is away');
      await accept(job);
    };
    void post.worker.wake();
    await until(
      () => post.deliveries.recordsOf(id),
      ([delivery]) => delivery?.status === 'accepted',
    );
    t.same([sent, faults], [[id], 2]);
  });
});
