import t, { type Test } from 'tap';
import type { Sent } from '../../../cli/conversation/conversation.js';
import { RoomFeed, type RoomFeedParts } from '../../../cli/conversation/room-feed.js';
import { failures } from '../../../kernel/contract/failure.js';
import type { StreamEvent } from '../../../kernel/contract/operation.js';
import { until } from '../../helpers/eventually.js';

const me = 1;
const message = (id: string, sender_name: string, content: string, more: object = {}) => ({
  id,
  role: 'user',
  sender_id: 2,
  sender_name,
  content,
  status: 'completed',
  images: [],
  files: [],
  error: null,
  thread_id: null,
  reply_count: 0,
  edited_at: null,
  deleted_at: null,
  reactions: [],
  ...more,
});
const event = (type: string, data: object): StreamEvent => ({ type, data: { task_id: null, ...data } });
const sent: Sent = { message_id: 'mine', session_id: 's', task_id: 't1', task_ids: ['t1'], not_in_room: [] };

/** A feed of the events that a test pushes; `screen` is what is above the prompt. */
function world(t: Test, { tasks = [] as object[] } = {}) {
  const waiting: (StreamEvent | Error)[] = [];
  const cancelled: string[] = [];
  let screen = '';
  let wake: () => void = () => undefined;
  const parts = {
    api: {
      call: async (id: string, { task_id }: { task_id: string }) => {
        if (id === 'members.get') return { nickname: 'Linus' };
        return id === 'tasks.active' ? tasks : cancelled.push(task_id);
      },
      async *stream(_id: string, _input: object, signal: AbortSignal) {
        signal.addEventListener('abort', () => wake());
        while (!signal.aborted) {
          const next = waiting.shift();
          if (next instanceof Error) throw next;
          if (next) yield next;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      },
    },
    session: {},
    context: { terminal: { env: { NO_COLOR: '1' }, stdout: { isTTY: true, columns: 40 }, stderr: {} } },
    prompt: { above: (text: string) => (screen += text) },
    session_id: 's',
    member_id: me,
  };
  const feed = new RoomFeed(parts as unknown as RoomFeedParts);
  t.teardown(() => feed.stop());
  const push = (...events: (StreamEvent | Error)[]) => {
    waiting.push(...events);
    wake();
  };
  const shows = (wanted: string) =>
    until(
      () => screen,
      (text) => text.includes(wanted),
    );
  return { feed, push, shows, cancelled, screen: () => screen };
}

t.test('messages of others are shown with their names, and answers side by side as a whole each', async (t) => {
  const { feed, push, shows, screen } = world(t);
  await feed.start(async () => [message('old', 'Grace', 'Before')]);
  const answer = (id: string, name: string, text: string) => message(id, name, text, { role: 'assistant', sender_id: 5 });
  const delta = (task_id: string) => event('message.delta', { task_id, delta: 'piece' });
  push(
    event('message.completed', { message: message('old', 'Grace', 'Before') }),
    event('message.completed', { message: message('m', 'Grace', '**Hello**') }),
    ...[delta('t2'), delta('t3'), delta('t2')],
    event('message.completed', { task_id: 't3', message: answer('b', 'Otto', 'B') }),
    event('message.aborted', { task_id: 't2', message: answer('a', 'Ada', 'A') }),
  );
  await shows('Ada');
  t.equal(screen(), 'Grace:\n**Hello**\nOtto:\nB\nAda:\nA\n');
});

t.test('a message that was sent from here is not shown again, one from another device is', async (t) => {
  const { feed, push, shows, screen } = world(t);
  await feed.start(async () => []);
  let answer: (sent: Sent) => void = () => undefined;
  const sending = feed.send(() => new Promise<Sent>((resolve) => (answer = resolve)));
  push(event('message.completed', { message: message('mine', 'ada', 'Here', { sender_id: me }) }));
  await new Promise(setImmediate);
  answer(sent);
  await sending;
  push(event('message.completed', { message: message('other', 'ada', 'There', { sender_id: me }) }));
  await shows('There');
  t.equal(screen(), 'ada:\nThere\n');
});

t.test('a reaction is a line, and a reply in a thread names its first message', async (t) => {
  const { feed, push, shows, screen } = world(t);
  await feed.start(async () => [message('old', 'Grace', 'Which **jam** do you like best of all?')]);
  const reaction = (member_id: number, message_id: string, more: object = {}) =>
    event('reaction', { member_id, message_id, emoji: '👍', added: true, ...more });
  push(
    event('message.completed', { message: message('r', 'Grace', 'Quince', { thread_id: 'old' }) }),
    event('message.completed', { message: message('x', 'Grace', 'Plum', { thread_id: 'gone' }) }),
    ...[reaction(2, 'r'), reaction(me, 'r'), reaction(7, 'gone', { emoji: '\u001B[2J🎉' }), reaction(2, 'r', { added: false })],
  );
  await shows('took back');
  t.same(screen().split('\n'), [
    "Grace (in the thread of 'Which **jam**",
    "do you like bes…'):",
    'Quince',
    'Grace (in a thread):',
    'Plum',
    "Grace reacted with 👍 to 'Quince'",
    'Linus reacted with 🎉 to an earlier',
    'message',
    "Grace took back 👍 from 'Quince'",
    '',
  ]);
});

t.test("Ctrl-C stops one's own tasks only", async (t) => {
  const { feed, push, shows, cancelled } = world(t, {
    tasks: [
      { id: 't0', session_id: 's' },
      { id: 'tx', session_id: 'another' },
    ],
  });
  await feed.start(async () => []);
  const task = (id: string, requested_by: number, status = 'queued') =>
    event('task.updated', { task_id: id, task: { id, status, requested_by } });
  push(
    task('t1', me),
    task('t2', 2),
    task('t3', me),
    task('t3', me, 'completed'),
    event('message.completed', { message: message('m', 'Grace', 'Now') }),
  );
  await shows('Now');
  t.ok(feed.hasTasks);
  await feed.stopTasks();
  t.same(cancelled, ['t0', 't1']);
  t.notOk(feed.hasTasks);
});

t.test('edits and deletions of shown messages are reported, and so is the end of the membership', async (t) => {
  const { feed, push, shows, screen } = world(t);
  await feed.start(async () => [message('m', 'Grace', 'One')]);
  push(
    event('message.edited', { message_id: 'm', message: message('m', 'Grace', 'Two', { edited_at: '2026-01-02T03:04:05.000Z' }) }),
    event('message.deleted', { message_id: 'm' }),
    event('message.deleted', { message_id: 'unknown' }),
    failures({ session_not_found: 404 })('session_not_found', 'There is no session s that you take part in'),
  );
  await shows(':quit');
  t.equal(
    screen(),
    'Grace (edited):\nTwo\nA message of Grace was deleted\nYou are no longer in this room; go to\nanother one with :open, or leave with\n:quit\n',
  );
});

t.test('a tool that waits for the approval of another member names that member', async (t) => {
  const { feed, push, shows, screen } = world(t);
  await feed.start(async () => []);
  push(event('approval.required', { task_id: 't7', approval: { id: 'a', name: 'sessions.list', input: null, requested_by: 2 } }));
  await shows('Linus');
  t.equal(screen(), "'sessions.list' waits for the approval\nof Linus\n");
});
