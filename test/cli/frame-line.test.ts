import t from 'tap';
import { eventLines, frameLine } from '../../cli/frame-line.js';
import { durationOf } from '../../cli/units.js';

const ts = '2030-01-02T03:04:05.678Z';
const told = (type: string, data: Record<string, unknown>, columns = 100) => frameLine({ ts, type, data }, columns).slice(10);

t.test('a frame is printed as a line with time, event and member', async (t) => {
  t.match(frameLine({ ts, type: 'unread', data: { session_id: 'a', count: 2 } }, 80), /^\d\d:04:05 {2}unread +session_id=a count=2$/);
  t.equal(
    told('task.updated', { task: { id: 'x', title: 'Look', status: 'running', reason: null } }),
    'task.updated         task title=Look status=running',
  );
  t.equal(told('resting', {}), 'resting');
});

t.test('a line is truncated at the edge and contains no escapes', async (t) => {
  const line = frameLine({ ts, type: 'log', data: { msg: `evil \u001B[2J\n${'x'.repeat(200)}` } }, 60);
  t.equal(line.length, 60);
  t.notMatch(line, /\p{Cc}/u);
});

t.test('a message is formatted as Markdown, and its code stays whole', async (t) => {
  const message = {
    sender_name: 'Ada',
    status: 'completed',
    content: 'It sets *agents.model*\n```\nplatform member list --keyword ada\n```',
  };
  t.same(await eventLines({ type: 'message.completed', data: { message } }, { columns: 20, color: false }), [
    'Ada:',
    'It sets',
    '*agents.model*',
    '```',
    'platform member list --keyword ada',
    '```',
  ]);
});

t.test('durations are numbers with a unit, up to a day', async (t) => {
  t.same(
    ['90s', '10m', '24h', '0s'].map((text) => durationOf(text, '--for')),
    [90_000, 600_000, 86_400_000, 0],
  );
  for (const text of ['', '10', 'm', '25h', '1d', '-1s', '1.5h']) t.throws(() => durationOf(text, '--for'), { name: 'UsageError' }, text);
});
