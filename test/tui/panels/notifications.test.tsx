import t from 'tap';
import type { Notification } from '../../../extensions/notifications/contract.js';
import { noSubject } from '../../../extensions/notifications/kinds.js';
import panel from '../../../extensions/notifications/panel.js';
import { drawPanel, FakeLive, now } from '../drawn.js';

const notification = (id: number, title: string, more: Partial<Notification> = {}): Notification => ({
  id,
  ...noSubject,
  source: 'ai_message',
  kind: 'answer',
  title,
  summary: 'All of it.\n\u001B[2JSecond line',
  link: '/chat/1',
  status: 'sent',
  im_channel: 'web',
  count: 1,
  error: null,
  created_at: new Date(now - 120_000).toISOString().slice(0, -1),
  read_at: '',
  ...more,
});

function inboxOf(items: Notification[]) {
  const calls: unknown[] = [];
  const notifications = {
    list: async () => ({ notifications: items, total: items.length, page: 1, limit: 200 }),
    unread_count: async () => ({ unread: items.filter(({ read_at }) => read_at === '').length }),
    get: async () => ({ ...items[0], deliveries: [{ channel: 'email', status: 'failed', error: 'no such host', attempts: 8 }] }),
    read: async (input: object) => {
      calls.push(input);
      for (const [index, item] of items.entries()) items[index] = { ...item, read_at: '2026-01-02T03:04:05.000' };
      return { updated: items.length, unread: 0 };
    },
  };
  return { calls, client: { notifications } };
}

t.test('unread notifications are marked, and can be marked as read', async (t) => {
  const { calls, client } = inboxOf([notification(1, 'Ada has finished', { count: 3 }), notification(2, '会议开始了')]);
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('2 unread of 2');
  t.match(drawn.frame, /> +\* +2 min ago +ai message +Ada has finished \(3 times\)/);
  t.match(drawn.frame, '会议开始了');
  drawn.press('r');
  await drawn.shows('0 unread of 2');
  t.same(calls, [{ notification_ids: [1] }]);
  t.notOk(drawn.offered.includes('r mark read'));
});

t.test('all notifications are marked as read at once, but not in readonly mode', async (t) => {
  const { calls, client } = inboxOf([notification(1, 'One'), notification(2, 'Two')]);
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('2 unread');
  drawn.press('A');
  await drawn.shows('0 unread');
  t.same([calls, drawn.notices], [[{ all: true }], ['2 marked as read']]);
  const { client: other } = inboxOf([notification(1, 'One')]);
  const looking = drawPanel(t, panel, { client: other, readonly: true });
  await looking.shows('1 unread');
  t.same(
    looking.offered.filter((key) => /^(A|r) /.test(key)),
    [],
  );
});

t.test('the details show a notification completely, without terminal escapes', async (t) => {
  const drawn = drawPanel(t, panel, inboxOf([notification(1, 'Ada has finished')]));
  await drawn.shows('Ada');
  drawn.press('enter');
  await drawn.shows('email: failed (no such host), tried 8 times');
  t.match(drawn.frame, 'Second line');
  t.notMatch(drawn.frame, '[2J');
});

t.test('a new notification appears at once', async (t) => {
  const items: Notification[] = [];
  const live = new FakeLive();
  const drawn = drawPanel(t, panel, { ...inboxOf(items), live });
  await drawn.shows('No notifications yet');
  items.push(notification(7, 'A backup has failed'));
  live.tell('notification', {});
  await drawn.shows('A backup has failed');
});
