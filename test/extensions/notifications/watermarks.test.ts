import t from 'tap';
import type { Notification, NotificationStatus } from '../../../extensions/notifications/contract.js';
import { migration as m0001 } from '../../../extensions/notifications/migrations/0001-notifications.js';
import { migration as m0002 } from '../../../extensions/notifications/migrations/0002-kinds.js';
import { defineModels } from '../../../extensions/notifications/models.js';
import { Items } from '../../../extensions/notifications/store/items-sql.js';
import { MemberRows } from '../../../extensions/notifications/store/members.js';
import { Retention } from '../../../extensions/notifications/store/retention.js';
import { Watermarks } from '../../../extensions/notifications/store/watermarks.js';
import type { Database } from '../../../kernel/contract/index.js';
import { eachDatabase } from '../../helpers/databases.js';

const ada = 7;
const all = { status: 'all', source: '', page: 1, limit: 200 } as const;
const times = { old: '2026-01-01T00:00:00.000Z', first: '2026-02-01T00:00:00.000Z', second: '2026-03-01T00:00:00.000Z' };

interface Store {
  rows: MemberRows;
  items: Items;
  watermarks: Watermarks;
  retention: Retention;
  add: (count: number, created_at?: string) => Promise<number[]>;
  readAll: (at: string) => Promise<void>;
}

function storeOf(db: Database): Store {
  const models = defineModels(db);
  const [rows, items, watermarks] = [new MemberRows(db, models), new Items(db, models.items), new Watermarks(models)];
  const add = async (count: number, created_at = times.old) => {
    const ids: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const item = {
        source: 'system',
        kind: 'notice',
        about: {},
        title: 'T',
        summary: '',
        link: null,
        sameness: `${n}`,
        created_at,
      } as const;
      ids.push((await items.insert([ada], item))[0]?.notification.id as number);
    }
    return ids;
  };
  const readAll = (at: string) => rows.lock(ada, async () => watermarks.set(ada, await items.latest(ada), at));
  return { rows, items, watermarks, retention: new Retention(db, models), add, readAll };
}

/** All that can be asked of what is read. */
async function seen({ items }: Store): Promise<object> {
  const counts: Partial<Record<NotificationStatus | 'all', number>> = {};
  const pages: Partial<Record<NotificationStatus | 'all', number[]>> = {};
  for (const status of ['all', 'pending', 'sent', 'read'] as const) {
    counts[status] = await items.count(ada, { status, source: '' });
    t.equal(await items.count(ada, { status, source: 'system' }), counts[status], 'the number of its source is right');
    pages[status] = (await items.page(ada, { ...all, status })).map(({ id }) => id);
  }
  const shown = ({ id, status, read_at }: Notification) => [id, status, read_at];
  return { unread: await items.unread(ada), counts, pages, rows: (await items.page(ada, all)).map(shown) };
}

t.test('marking all as read shows the same before, during and after it is written to the rows', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('notifications', [m0001, m0002]);
    const store = storeOf(data.facade('notifications'));
    const { items, rows, watermarks, add, readAll } = store;
    const early = await add(6);
    await rows.lock(ada, () => items.markRead(ada, [early[1] as number], times.old));
    await rows.lock(ada, () => items.markSent(ada, [early[2] as number], 'web'));
    await readAll(times.first);
    const middle = await add(3);
    await readAll(times.second);
    const late = await add(2);
    await rows.lock(ada, () => items.markSent(ada, [late[0] as number, middle[0] as number], 'web'));

    const before = await seen(store);
    const without = (time: string) => time.slice(0, -1);
    t.match(before, { unread: 2, counts: { all: 11, pending: 1, sent: 1, read: 9 }, pages: { pending: [late[1]], sent: [late[0]] } });
    const readAt = new Map((await items.page(ada, all)).map(({ id, read_at }) => [id, read_at]));
    t.same(
      [...early, ...middle, ...late].map((id) => readAt.get(id)),
      [first(), without(times.old), ...Array(4).fill(first()), ...Array(3).fill(without(times.second)), '', ''],
      'each has the time when it was first marked as read',
    );
    t.same(await rows.lock(ada, () => items.markRead(ada, early, times.second)), [], 'read notifications stay unchanged');

    let folds = 0;
    for (let member = await watermarks.nextMember(); member !== undefined; member = await watermarks.nextMember()) {
      t.equal(member, ada);
      await rows.lock(ada, () => watermarks.fold(ada));
      t.same(await seen(store), before, `after fold ${folds + 1}`);
      folds += 1;
    }
    t.equal(folds, 2);
    const stored = await data.facade('notifications').rows(`SELECT id FROM notifications_items WHERE state = 'read'`);
    t.equal(stored.length, 9, 'the rows have the status themselves');
  });
});

const first = () => times.first.slice(0, -1);

t.test('many rows are written in batches', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('notifications', [m0001, m0002]);
    const db = data.facade('notifications');
    const { rows, watermarks, items, readAll } = storeOf(db);
    await db.run(`INSERT INTO notifications_items (member_id, source, title, summary, sameness, count, state, im_channel, created_at)
      SELECT ${ada}, 'system', 'T', '', '', 1, 'pending', '', '${times.old}' FROM (${numbers(2_500)}) n`);
    await readAll(times.first);
    const left: number[] = [];
    while ((await watermarks.nextMember()) !== undefined) {
      await rows.lock(ada, () => watermarks.fold(ada));
      left.push((await db.rows(`SELECT id FROM notifications_items WHERE state <> 'read'`)).length);
      t.equal(await items.unread(ada), 0);
    }
    t.same(left, [1_500, 500, 0]);
  });
});

/** A query with so many rows. */
const numbers = (count: number) => `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ${count}) SELECT x FROM n`;

t.test('old, read and surplus notifications are deleted with their deliveries', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('notifications', [m0001, m0002]);
    const db = data.facade('notifications');
    const { rows, items, retention, add } = storeOf(db);
    const [a, b, c, d, e] = (await add(5)) as [number, number, number, number, number];
    const [f] = (await add(1, times.second)) as [number];
    await rows.lock(ada, () => items.markRead(ada, [a], times.old));
    await rows.lock(ada, () => items.markRead(ada, [b], times.second));
    await db.run(`INSERT INTO notifications_deliveries (notification_id, member_id, channel, status, attempts, due_at)
      SELECT id, member_id, 'email', 'waiting', 0, 0 FROM notifications_items`);
    t.equal(await retention.deleteReadBefore(times.first), 1);
    t.equal(await retention.deleteReadBefore(times.first), 0);
    const left = async () => (await items.page(ada, all)).map(({ id }) => id);
    t.same(await left(), [f, e, d, c, b]);
    t.same(await retention.surplus(3), [{ member_id: ada, surplus: 2 }]);
    t.same(await retention.surplus(5), []);
    t.equal(await retention.countSurplus({ member_id: ada, surplus: 2 }), 2);
    t.same(await left(), [f, e, d], 'the oldest notifications are deleted');
    t.equal(await retention.deleteUnreadBefore(times.first), 2);
    t.same(await left(), [f]);
    t.equal((await db.rows('SELECT id FROM notifications_deliveries')).length, 1);
  });
});
