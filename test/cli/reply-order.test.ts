import t from 'tap';
import { ReplyOrder } from '../../cli/reply-order.js';
import type { StreamEvent } from '../../kernel/contract/operation.js';

const event = (task_id: string | null, type: string, data: object = {}): StreamEvent => ({ type, data: { task_id, ...data } });
const started = (task_id: string) => event(task_id, 'message.started', { message: { sender_name: task_id.toUpperCase() } });
const shown = (order: ReplyOrder, events: readonly StreamEvent[]) =>
  events
    .flatMap((each) => order.take(each))
    .map(({ event, begins }) => `${(event.data as { task_id: string }).task_id} ${begins ?? ''} ${event.type}`);

t.test('replies that are written side by side pass one after the other, each with its name', async (t) => {
  const order = new ReplyOrder();
  const delta = (task_id: string) => event(task_id, 'message.delta');
  const end = (task_id: string) => event(task_id, 'message.completed');
  const events = [started('a'), started('b'), delta('b'), delta('a'), started('c'), end('b'), delta('a'), end('a'), delta('c'), end('c')];
  t.same(shown(order, events), [
    'a A message.started',
    'a  message.delta',
    'a  message.delta',
    'a  message.completed',
    'b B message.started',
    'b  message.delta',
    'b  message.completed',
    'c C message.started',
    'c  message.delta',
    'c  message.completed',
  ]);
  t.ok(order.hasSeveral);
});

t.test('events that belong to no text pass at once, and what waits passes at the end', async (t) => {
  const order = new ReplyOrder();
  t.same(shown(order, [started('a'), started('b'), event('b', 'approval.required'), event('b', 'task.updated'), event(null, 'done')]), [
    'a A message.started',
    'b  approval.required',
    'b  task.updated',
    'null  done',
  ]);
  t.same(
    order.end().map(({ begins }) => begins),
    ['B'],
  );
  t.same(order.end(), []);
});
