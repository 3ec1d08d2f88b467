import t from 'tap';
import { openStreamView } from '../../cli/stream-view.js';
import type { Terminal } from '../../cli/terminal.js';
import type { RunningText } from '../../kernel/contract/manifest.js';
import type { StreamEvent } from '../../kernel/contract/operation.js';

const reply: RunningText = { delta: 'message.delta', whole: 'message.content', aside: 'reasoning.delta', tools: true };
const delta = (delta: string): StreamEvent => ({ type: 'message.delta', data: { delta } });
const completed = (content: string): StreamEvent => ({ type: 'message.completed', data: { message: { content } } });
const started: StreamEvent = { type: 'tool.started', data: { tool_call_id: '1', name: 'shell', input: 'ls' } };

interface Screen {
  isTTY?: boolean;
  hint?: RunningText;
  env?: Terminal['env'];
}

/** Opens a view whose output, of both streams, is noted a write an entry. */
async function view({ isTTY = true, hint = reply, env = { NO_COLOR: '1' } }: Screen = {}) {
  const written: string[] = [];
  const stream = { isTTY, columns: 20, write: (text: string) => text !== '' && written.push(text) };
  return { written, view: await openStreamView(hint, { env, stdout: stream, stderr: stream } as unknown as Terminal) };
}

t.test('on a terminal a reply is written block by block, and its rest at the end', async (t) => {
  const { written, view: shown } = await view();
  for (const piece of ['# Du', 'cks\nThey **qu', 'ack** and they swim.\n', '\n- a\n- ', 'b']) shown.take(delta(piece));
  t.same(written.splice(0), ['# Ducks\n', 'They **quack** and\nthey swim.\n']);
  shown.take(completed('# Ducks\nThey **quack** and they swim.\n\n- a\n- b\n- c'));
  t.same(written.splice(0), ['\n• a\n']);
  shown.end();
  t.same(written, ['• b\n• c\n']);
});

t.test('a long table is written in parts before it ends, and what follows it at once', async (t) => {
  const { written, view: shown } = await view();
  const rows = Array.from({ length: 130 }, (_, n) => `| ${n} | x |\n`);
  shown.take(delta('| a | b |\n|--:|---|\n'));
  for (const row of rows) shown.take(delta(row));
  const lines = written.splice(0).join('').split('\n');
  t.same([lines.length, lines[0], lines[2], lines[101]], [103, ' a │ b', ' 0 │ x', '99 │ x']);
  for (const piece of ['\nAfter\n', '\n', 'More\n']) shown.take(delta(piece));
  const after = written.join('').split('\n');
  t.same([after[1], after[3], after.at(-3), after.at(-2)], ['  a │ b', '100 │ x', '', 'After']);
});

t.test('a reply that is cut off is shown as far as it came, once', async (t) => {
  const { written, view: shown } = await view();
  for (const piece of ['One\n\n```\nls', ' -l']) shown.take(delta(piece));
  shown.end();
  shown.end();
  t.equal(written.join(''), 'One\n\n```\nls -l\n```\n');
});

t.test('a text is shown before the tool call that follows it, but a notice does not divide it', async (t) => {
  const { written, view: shown } = await view();
  shown.take(delta('I look'));
  shown.line('Reconnecting');
  shown.take(delta(' into it.'));
  shown.take(started);
  shown.take(delta('Two files.'));
  shown.end();
  t.equal(written.join(''), 'Reconnecting\nI look into it.\n→ shell ls\nTwo files.\n');
});

t.test('styles are used on a terminal with colours, and none from the text', async (t) => {
  const { written, view: shown } = await view({ env: {} });
  shown.take(delta('**a**\u001B[31m &#x202E;b'));
  shown.end();
  t.equal(written.join(''), '\u001B[1ma\u001B[0m b\n');
});

t.test('in a pipe a reply stays as it is, and on a terminal the output of a program', async (t) => {
  const { tools: _, ...program } = reply;
  for (const screen of [{ isTTY: false }, { hint: program }]) {
    const { written, view: shown } = await view(screen);
    for (const piece of ['# Du', 'cks\n\n**A long line of text** stays']) shown.take(delta(piece));
    shown.end();
    t.equal(written.join(''), '# Ducks\n\n**A long line of text** stays\n');
  }
});
