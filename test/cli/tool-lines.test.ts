import t from 'tap';
import { ToolLines } from '../../cli/tool-lines.js';

const started = (tool_call_id: string, input: unknown = { command: 'ls' }) => ({
  type: 'tool.started',
  data: { tool_call_id, name: 'shell', input },
});
const output = (tool_call_id: string, delta: string) => ({ type: 'tool.output', data: { tool_call_id, delta } });
const finished = (tool_call_id: string, result: { output?: string | null; error?: string | null }) => ({
  type: 'tool.finished',
  data: { tool_call_id, output: null, error: null, ...result },
});

t.test('a tool is printed with its input, its output by whole lines, and its outcome', async (t) => {
  const lines = new ToolLines(40);
  t.same(lines.take(started('1')), ['→ shell {"command":"ls"}']);
  t.same(lines.take(output('1', 'a.txt\nb.t')), ['  │ a.txt']);
  t.same(lines.take(output('1', 'xt\n')), ['  │ b.txt']);
  t.same(lines.take(finished('1', { output: 'a.txt\nb.txt\n' })), ['✓ shell'], 'streamed output is not printed again');
});

t.test('prints up to eight lines of output at the end of a tool that did not stream', async (t) => {
  const lines = new ToolLines(40);
  lines.take(started('1'));
  const many = Array.from({ length: 11 }, (_, index) => `line ${index}`).join('\n');
  const told = lines.take(finished('1', { output: many }));
  t.equal(told.length, 10);
  t.same(told.slice(-3), ['  │ line 7', '  │ … 3 more lines', '✓ shell']);
});

t.test('prints the reason of a failed tool, separates concurrent ones, and ignores other events', async (t) => {
  const lines = new ToolLines(40);
  lines.take(started('1'));
  lines.take(started('2'));
  lines.take(output('2', 'half a line'));
  t.same(lines.take(finished('1', { error: 'It has no shell' })), ['✗ shell: It has no shell']);
  t.same(lines.take(finished('2', { output: 'half a line' })), ['  │ half a line', '✓ shell']);
  t.same(lines.take(output('1', 'late\n')), []);
  t.same(lines.take({ type: 'message.delta', data: { delta: 'x' } }), []);
});

t.test('no line is longer than the terminal or contains escapes', async (t) => {
  const lines = new ToolLines(20);
  const told = [
    ...lines.take(started('1', { command: `${'x'.repeat(100)}\u001B[2J` })),
    ...lines.take(output('1', `\u001B]0;owned\u0007${'漢'.repeat(30)}\n`)),
    ...lines.take(finished('1', { error: '\u202Eevil\nline' })),
  ];
  t.equal(told.length, 3);
  t.notMatch(told.join(''), /[\p{Cc}\u202E]/u);
  for (const line of told) t.ok(line.length <= 20, line);
});
