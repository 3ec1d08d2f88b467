import t from 'tap';
import { Reply } from '../../../tui/kit/reply.js';

const taking = (...events: [type: string, data: object][]) => {
  const reply = new Reply();
  for (const [type, data] of events) reply.take({ type, data });
  return reply;
};
const started = (tool_call_id: string): [string, object] => ['tool.started', { tool_call_id, name: 'shell', input: { command: 'ls' } }];
const approval = { id: '1', name: 'shell', input: {} };

t.test('texts, reasoning and tools keep their order', async (t) => {
  const reply = taking(
    ['reasoning.delta', { delta: 'Look ' }],
    ['reasoning.delta', { delta: 'first' }],
    ['message.delta', { delta: 'I look.\n' }],
    started('1'),
    ['tool.output', { tool_call_id: '1', delta: 'a\nb\n' }],
    ['tool.finished', { tool_call_id: '1', output: 'a\nb\n', error: null }],
    ['message.delta', { delta: 'Two ' }],
    ['message.delta', { delta: 'files.' }],
  );
  t.same(reply.lines(), [
    '  ~ Look first',
    { markdown: 'I look.' },
    '> shell {"command":"ls"}',
    '  | a',
    '  | b',
    'ok shell',
    { markdown: 'Two files.' },
  ]);
  t.equal(reply.end, undefined);
});

t.test('notices come after the text', async (t) => {
  const reply = taking(
    ['message.delta', { delta: 'Half' }],
    ['message.notice', { notice: { code: 'answer_cut', message: 'It was cut\noff' } }],
  );
  t.same(reply.lines(), [{ markdown: 'Half' }, 'note: It was cut off']);
});

t.test('the end of a long output is shown, and the reason of a failed tool', async (t) => {
  const output = Array.from({ length: 9 }, (_, index) => `${index}`).join('\n');
  const reply = taking(started('1'), ['tool.finished', { tool_call_id: '1', output, error: 'Exit code 1' }]);
  t.same(reply.lines().slice(1, 3), ['  | (4 lines before)', '  | 4']);
  t.equal(reply.lines().at(-1), 'failed shell: Exit code 1');
});

t.test('a snapshot replaces earlier content, and later events continue from it', async (t) => {
  const call = { id: '1', name: 'shell', input: null, output: 'done', error: null, finished_at: '2026-01-02T03:04:05.000Z' };
  const message = { content: 'Hello, ', tool_calls: [call] };
  const reply = taking(['message.delta', { delta: 'Hel' }], ['snapshot', { message }], ['message.delta', { delta: 'Ada' }]);
  t.same(reply.lines(), ['> shell ', '  | done', 'ok shell', { markdown: 'Hello, Ada' }]);
});

t.test('an approval is pending until it is decided or the reply ends', async (t) => {
  const waiting: [string, object] = ['approval.required', { approval }];
  t.same(taking(waiting).pending, [approval]);
  t.same(taking(waiting, ['approval.resolved', { approval }]).pending, []);
  const ended = taking(waiting, ['message.failed', { message: null, error: { code: 'x', message: 'It\nfailed' } }]);
  t.same([ended.pending, ended.end], [[], 'failed: It failed']);
  t.same(taking(['message.completed', { message: { content: 'All of it', tool_calls: [] } }]).lines(), [{ markdown: 'All of it' }]);
});
