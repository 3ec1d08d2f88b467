import t from 'tap';
import type { Message } from '../../../../extensions/chat/contract.js';
import { arrange, firstUnread } from '../../../../extensions/chat/web/rows.js';

function message(id: string, at: string, changes: Partial<Message> = {}): Message {
  return { id, created_at: `2026-01-0${at}:00.000Z`, sender_id: 1, role: 'user', reply_to: null, ...changes } as Message;
}

const dayOf = (iso: string) => iso.slice(0, 10);

t.test('messages of a sender within minutes stand together, until a day, another sender or an answer comes between', async (t) => {
  const messages = [
    message('a', '1T10:00'),
    message('b', '1T10:02'),
    message('c', '1T10:20'),
    message('d', '1T10:21', { sender_id: 2 }),
    message('e', '1T10:22', { sender_id: 2, reply_to: 'a' }),
    message('f', '2T10:00', { sender_id: 2 }),
  ];
  const rows = arrange(messages, { before: [], unread: 'd', dayOf });
  t.same(
    rows.map(({ isFollowUp }) => isFollowUp),
    [false, true, false, false, false, false],
  );
  t.same(
    rows.map(({ isNewDay }) => isNewDay),
    [true, false, false, false, false, true],
  );
  t.same(
    rows.map(({ isFirstUnread }) => isFirstUnread),
    [false, false, false, true, false, false],
  );
});

t.test('rows that are as before are the same objects', async (t) => {
  const messages = [message('a', '1T10:00'), message('b', '1T10:02')];
  const before = arrange(messages, { before: [], unread: undefined, dayOf });
  const rows = arrange([...messages, message('c', '1T10:03')], { before, unread: undefined, dayOf });
  t.equal(rows[0], before[0]);
  t.equal(rows[1], before[1]);
});

t.test("one's own messages don't count as unread", async (t) => {
  const messages = [message('a', '1T10:00', { sender_id: 2 }), message('b', '1T10:01', { sender_id: 2 }), message('c', '1T10:02')];
  t.equal(firstUnread(messages, { count: 2, me: 1 }), 'a');
  t.equal(firstUnread(messages, { count: 1, me: 1 }), 'b');
  t.equal(firstUnread(messages, { count: 0, me: 1 }), undefined);
  t.equal(firstUnread(messages, { count: 9, me: 1 }), undefined);
});
